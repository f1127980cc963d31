#include "plugins/sparsity24/IR/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace sparsity24 {

using enum InstructionKind;

// PTX ISA: wgmma.mma_async.sp has n from 8 to 256 in steps of 8; AMD CDNA3 and
// CDNA4 ISA: v_smfmac accumulates in float32 alone. The wider SMFMAC of gfx950
// has twice the rate, and 32 rows take less register traffic than 16.
static constexpr Instruction table[] = {
    {"cuda:80", Mma, 16, 8, 32, true, 1},
    {"cuda:86", Mma, 16, 8, 32, true, 1},
    {"cuda:89", Mma, 16, 8, 32, true, 1},
    {"cuda:90", Wgmma, 64, 8, 32, true, 4},
    {"cuda:90", Mma, 16, 8, 32, true, 1},
    {"hip:gfx942", Smfmac, 32, 32, 16, false, 1},
    {"hip:gfx942", Smfmac, 16, 16, 32, false, 1},
    {"hip:gfx950", Smfmac, 32, 32, 32, false, 1},
    {"hip:gfx950", Smfmac, 16, 16, 64, false, 1},
    {"hip:gfx950", Smfmac, 16, 16, 32, false, 1},
};

llvm::ArrayRef<Instruction> getInstructions() { return table; }

const Instruction *chooseInstruction(llvm::StringRef target,
                                     const Product &product) {
  const auto *found = llvm::find_if(table, [&](const Instruction &row) {
    return row.target == target && product.m % row.m == 0 &&
           product.n % row.n == 0 && product.k % row.k == 0 &&
           product.numWarps % row.warps == 0 &&
           (row.accumulatesF16 || !product.accumulatesF16);
  });
  return found == std::end(table) ? nullptr : found;
}

std::string describeInstructions(llvm::StringRef target) {
  llvm::SmallVector<std::string> shapes;
  for (const Instruction &row : table) {
    if (row.target != target)
      continue;
    std::string shape;
    llvm::raw_string_ostream(shape)
        << row.m << "x" << row.n << "x" << row.k
        << (row.warps > 1 ? " (4 warps)" : "")
        << (row.accumulatesF16 ? "" : " with a float32 accumulator");
    shapes.push_back(shape);
  }
  if (shapes.empty())
    return "has no sparse matrix instruction known here";
  return "multiplies tiles of MxNxK in multiples of " +
         llvm::join(shapes, ", ");
}

} // namespace sparsity24
