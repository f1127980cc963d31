//===- Groups.h - 2:4 sparse matrices on the host ---------------*- C++ -*-===//
//
// Elements are 16-bit floats of either kind, taken as bits: the larger of two
// magnitudes is the larger of their bits without the sign. Every function works
// on rows of one matrix in several threads.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSITY24_HOST_GROUPS_H
#define SPARSITY24_HOST_GROUPS_H

#include <cstdint>
#include <optional>

namespace sparsity24 {

/// Rows and columns of a dense matrix; columns are a multiple of 16.
struct Shape {
  int64_t rows, columns;
};

/// The first element of a group that is not legal.
struct Place {
  int64_t row, column;
};

/// Keeps the two elements of every group with the largest magnitudes, of equal
/// ones the first, and makes the others positive zero.
void prune(Shape shape, const uint16_t *dense, uint16_t *pruned);

/// Finds a group with more than two elements that are not positive zero.
std::optional<Place> findDense(Shape shape, const uint16_t *dense);

/// Finds a nibble that says nothing to the hardware.
std::optional<Place> findNibble(Shape shape, const uint16_t *meta);

/// Of a group with more than two elements the first two are kept.
void compress(Shape shape, const uint16_t *dense, uint16_t *values,
              uint16_t *meta);

void decompress(Shape shape, const uint16_t *values, const uint16_t *meta,
                uint16_t *dense);

} // namespace sparsity24

#endif // SPARSITY24_HOST_GROUPS_H
