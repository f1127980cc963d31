// The Python module triton_plugins.sparsity24._host.

#include "plugins/sparsity24/host/Groups.h"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace {

using sparsity24::Place;
using sparsity24::Shape;
/// By rows, without gaps.
using Matrix = py::array_t<uint16_t, py::array::c_style>;
using FoundPlace = std::optional<std::pair<int64_t, int64_t>>;

Shape getShape(const Matrix &matrix, int64_t columnsPerElement) {
  if (matrix.ndim() != 2)
    throw py::value_error("a matrix is needed, but the array has " +
                          std::to_string(matrix.ndim()) + " dimensions");
  Shape shape = {matrix.shape(0), matrix.shape(1) * columnsPerElement};
  if (shape.columns % 16 != 0)
    throw py::value_error("a multiple of 16 columns is needed, but there are " +
                          std::to_string(shape.columns));
  return shape;
}

Matrix makeMatrix(int64_t rows, int64_t columns) {
  return Matrix(std::vector<py::ssize_t>{rows, columns});
}

FoundPlace toPython(const std::optional<Place> &place) {
  if (!place)
    return std::nullopt;
  return std::pair(place->row, place->column);
}

Matrix prune(const Matrix &dense) {
  Shape shape = getShape(dense, 1);
  Matrix pruned = makeMatrix(shape.rows, shape.columns);
  const uint16_t *from = dense.data();
  uint16_t *to = pruned.mutable_data();
  {
    py::gil_scoped_release unlocked;
    sparsity24::prune(shape, from, to);
  }
  return pruned;
}

FoundPlace findDense(const Matrix &dense) {
  Shape shape = getShape(dense, 1);
  const uint16_t *from = dense.data();
  py::gil_scoped_release unlocked;
  return toPython(sparsity24::findDense(shape, from));
}

FoundPlace findNibble(const Matrix &meta) {
  Shape shape = getShape(meta, 16);
  const uint16_t *from = meta.data();
  py::gil_scoped_release unlocked;
  return toPython(sparsity24::findNibble(shape, from));
}

std::pair<Matrix, Matrix> compress(const Matrix &dense) {
  Shape shape = getShape(dense, 1);
  Matrix values = makeMatrix(shape.rows, shape.columns / 2);
  Matrix meta = makeMatrix(shape.rows, shape.columns / 16);
  const uint16_t *from = dense.data();
  uint16_t *valuesTo = values.mutable_data(), *metaTo = meta.mutable_data();
  {
    py::gil_scoped_release unlocked;
    sparsity24::compress(shape, from, valuesTo, metaTo);
  }
  return {std::move(values), std::move(meta)};
}

Matrix decompress(const Matrix &values, const Matrix &meta) {
  Shape shape = getShape(values, 2), metaShape = getShape(meta, 16);
  if (shape.rows != metaShape.rows || shape.columns != metaShape.columns)
    throw py::value_error("values and metadata stand for matrices of different "
                          "shapes");
  Matrix dense = makeMatrix(shape.rows, shape.columns);
  const uint16_t *valuesFrom = values.data(), *metaFrom = meta.data();
  uint16_t *to = dense.mutable_data();
  {
    py::gil_scoped_release unlocked;
    sparsity24::decompress(shape, valuesFrom, metaFrom, to);
  }
  return dense;
}

} // namespace

PYBIND11_MODULE(_host, module) {
  module.doc() = "2:4 sparse matrices of 16-bit floats, as arrays of uint16.";
  // Other types are refused: pybind11 would convert numbers, not bits.
  auto matrix = [](const char *name) { return py::arg(name).noconvert(); };
  module.def("prune", &prune, matrix("dense"));
  module.def("find_dense", &findDense, matrix("dense"));
  module.def("find_nibble", &findNibble, matrix("meta"));
  module.def("compress", &compress, matrix("dense"));
  module.def("decompress", &decompress, matrix("values"), matrix("meta"));
}
