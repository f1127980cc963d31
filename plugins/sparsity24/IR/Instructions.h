//===- Instructions.h - Which sparse instruction does a product -*- C++ -*-===//

#ifndef SPARSITY24_IR_INSTRUCTIONS_H
#define SPARSITY24_IR_INSTRUCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace sparsity24 {

enum class InstructionKind {
  /// wgmma.mma_async.sp: values and b in shared memory, asynchronous.
  Wgmma,
  /// mma.sp: everything in the registers of one warp.
  Mma,
  /// v_smfmac: everything in the registers of one wave.
  Smfmac,
};

/// One sparse matrix instruction for 16-bit floats. `k` counts columns of the
/// decompressed operand.
struct Instruction {
  /// As in the module attribute ttg.target.
  llvm::StringLiteral target;
  InstructionKind kind;
  unsigned m, n, k;
  /// Whether it accumulates float16 products in float16.
  bool accumulatesF16;
  /// How many warps share the rows of one instruction.
  unsigned warps;
};

/// The table of all instructions, for each architecture the preferred first.
llvm::ArrayRef<Instruction> getInstructions();

/// A product, as far as the choice of an instruction depends on it.
struct Product {
  int64_t m, n, k;
  bool accumulatesF16;
  unsigned numWarps;
};

/// The first instruction of an architecture that can do the product, or null.
const Instruction *chooseInstruction(llvm::StringRef target,
                                     const Product &product);

/// What the architecture can do, for messages.
std::string describeInstructions(llvm::StringRef target);

} // namespace sparsity24

#endif // SPARSITY24_IR_INSTRUCTIONS_H
