#include "plugins/tlx/IR/TLX.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

LogicalResult AsyncTaskOp::verify() {
  if (getIsDefault() == getNumWarps().has_value())
    return emitOpError(getIsDefault()
                           ? "is the default task, which runs on the kernel's "
                             "own warps, but has a number of warps"
                           : "needs num_warps");
  if (auto numWarps = getNumWarps())
    if (static_cast<int32_t>(*numWarps) < 1 || *numWarps > 32 ||
        !llvm::isPowerOf2_32(*numWarps))
      return emitOpError("runs on ")
             << static_cast<int32_t>(*numWarps)
             << " warps, but num_warps must be 1, 2, 4, 8, 16 or 32";
  if (auto registers = getRegisters())
    if (static_cast<int32_t>(*registers) < 24 || *registers > 256)
      return emitOpError("asks for ")
             << static_cast<int32_t>(*registers)
             << " registers a thread, but setmaxnreg takes 24 to 256";
  return success();
}

} // namespace tlx
