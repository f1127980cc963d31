#include "plugins/sparsity24/host/Groups.h"
#include <algorithm>
#include <thread>
#include <vector>

namespace sparsity24 {

namespace {

/// The nibbles whose first column is smaller than the second.
constexpr uint32_t legalNibbles =
    1 << 4 | 1 << 8 | 1 << 9 | 1 << 12 | 1 << 13 | 1 << 14;

/// Calls `work(first, last)` for parts of the rows, each in a thread. A part is
/// large enough that starting a thread is little beside it.
template <typename Work> void forEachPart(Shape shape, const Work &work) {
  constexpr int64_t smallestPart = 1 << 18;
  int64_t parts = std::clamp<int64_t>(
      shape.rows * shape.columns / smallestPart, 1,
      std::max<int64_t>(std::thread::hardware_concurrency(), 1));
  int64_t rows = (shape.rows + parts - 1) / parts;
  std::vector<std::jthread> threads;
  for (int64_t first = rows; first < shape.rows; first += rows)
    threads.emplace_back(work, first, std::min(first + rows, shape.rows));
  work(0, std::min(rows, shape.rows));
}

/// The first place that `isLegal(row, group)` refuses, in the order of rows.
template <typename IsLegal>
std::optional<Place> findFirst(Shape shape, const IsLegal &isLegal) {
  std::vector<std::optional<Place>> found(shape.rows);
  forEachPart(shape, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      for (int64_t group = 0; group < shape.columns / 4; ++group)
        if (!isLegal(row, group)) {
          found[row] = Place{row, 4 * group};
          return;
        }
  });
  auto place = std::find_if(found.begin(), found.end(), [](const auto &entry) {
    return entry.has_value();
  });
  return place == found.end() ? std::nullopt : *place;
}

uint16_t getNibble(const uint16_t *meta, int64_t group) {
  return meta[group / 4] >> (4 * (group % 4)) & 0xf;
}

} // namespace

void prune(Shape shape, const uint16_t *dense, uint16_t *pruned) {
  auto magnitude = [](uint16_t bits) { return bits & 0x7fff; };
  forEachPart(shape, [&](int64_t first, int64_t last) {
    for (int64_t at = first * shape.columns; at < last * shape.columns; at += 4)
      for (int64_t i = 0; i < 4; ++i) {
        int larger = 0;
        for (int64_t j = 0; j < 4; ++j)
          larger +=
              magnitude(dense[at + j]) > magnitude(dense[at + i]) ||
              (j < i && magnitude(dense[at + j]) == magnitude(dense[at + i]));
        pruned[at + i] = larger < 2 ? dense[at + i] : 0;
      }
  });
}

std::optional<Place> findDense(Shape shape, const uint16_t *dense) {
  return findFirst(shape, [&](int64_t row, int64_t group) {
    const uint16_t *elements = dense + row * shape.columns + 4 * group;
    return std::count_if(elements, elements + 4,
                         [](uint16_t bits) { return bits != 0; }) <= 2;
  });
}

std::optional<Place> findNibble(Shape shape, const uint16_t *meta) {
  return findFirst(shape, [&](int64_t row, int64_t group) {
    return legalNibbles >> getNibble(meta + row * shape.columns / 16, group) &
           1;
  });
}

void compress(Shape shape, const uint16_t *dense, uint16_t *values,
              uint16_t *meta) {
  forEachPart(shape, [&](int64_t begin, int64_t end) {
    for (int64_t word = begin * shape.columns / 16;
         word < end * shape.columns / 16; ++word) {
      meta[word] = 0;
      for (int64_t group = 0; group < 4; ++group) {
        const uint16_t *elements = dense + 16 * word + 4 * group;
        int first = 0;
        while (first < 2 && elements[first] == 0)
          ++first;
        int second = first + 1;
        while (second < 3 && elements[second] == 0)
          ++second;
        uint16_t *kept = values + 8 * word + 2 * group;
        kept[0] = elements[first];
        kept[1] = elements[second];
        meta[word] |= (first | second << 2) << (4 * group);
      }
    }
  });
}

void decompress(Shape shape, const uint16_t *values, const uint16_t *meta,
                uint16_t *dense) {
  forEachPart(shape, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin * shape.columns / 4;
         group < end * shape.columns / 4; ++group) {
      uint16_t nibble = getNibble(meta, group);
      uint16_t *elements = dense + 4 * group;
      std::fill_n(elements, 4, 0);
      elements[nibble >> 2] = values[2 * group + 1];
      elements[nibble & 3] = values[2 * group];
    }
  });
}

} // namespace sparsity24
