#include "plugins/tlx/Transforms/Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

namespace {

using Result = std::optional<int64_t>;

Result multiply(int64_t left, int64_t right) {
  int64_t product;
  return llvm::MulOverflow(left, right, product) ? std::nullopt
                                                 : Result(product);
}

Result divide(int64_t left, int64_t right) {
  return right > 0 ? Result(left / right) : std::nullopt;
}

Result remainder(int64_t left, int64_t right) {
  return right > 0 ? Result(left % right) : std::nullopt;
}

/// Signed and unsigned ops agree on numbers that are not negative.
bool isUnsigned(Operation *op) {
  return isa<arith::DivUIOp, arith::RemUIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::ExtUIOp>(op);
}

Result compute(Operation *op, ArrayRef<int64_t> v) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddIOp>([&](auto) { return v[0] + v[1]; })
      .Case<arith::SubIOp>([&](auto) { return v[0] - v[1]; })
      .Case<arith::MulIOp>([&](auto) { return multiply(v[0], v[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return divide(v[0], v[1]); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return remainder(v[0], v[1]); })
      .Case<arith::AndIOp>([&](auto) { return v[0] & v[1]; })
      .Case<arith::OrIOp>([&](auto) { return v[0] | v[1]; })
      .Case<arith::XOrIOp>([&](auto) { return v[0] ^ v[1]; })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return std::min(v[0], v[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return std::max(v[0], v[1]); })
      .Case<arith::ExtUIOp, arith::TruncIOp>([&](auto) { return v[0]; })
      .Case([&](arith::ExtSIOp extend) {
        return extend.getIn().getType().isInteger(1) ? -v[0] : v[0];
      })
      .Case<arith::SelectOp>([&](auto) { return v[0] ? v[1] : v[2]; })
      .Case([&](arith::CmpIOp cmp) -> Result {
        auto type = dyn_cast<IntegerType>(cmp.getLhs().getType());
        if (!type)
          return std::nullopt;
        unsigned width = type.getWidth();
        return arith::applyCmpPredicate(cmp.getPredicate(),
                                        APInt(width, v[0], true, true),
                                        APInt(width, v[1], true, true));
      })
      .Default(Result());
}

} // namespace

std::optional<int64_t> getConstantNumber(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getBitWidth() == 1 ? constant.getZExtValue()
                                     : constant.getSExtValue();
}

std::optional<int64_t> evaluate(Operation *op, ArrayRef<int64_t> operands) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  auto type = dyn_cast<IntegerType>(op->getResult(0).getType());
  if (!type || type.getWidth() > 64)
    return std::nullopt;
  if (isUnsigned(op) &&
      llvm::any_of(operands, [](int64_t value) { return value < 0; }))
    return std::nullopt;
  Result result = compute(op, operands);
  if (!result || type.getWidth() == 1)
    return result ? Result(*result & 1) : result;
  // Arithmetic that wraps around is not followed.
  return llvm::isIntN(type.getWidth(), *result) ? result : std::nullopt;
}

} // namespace tlx
