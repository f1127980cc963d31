#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "plugins/tlx/IR/TLX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "plugins/tlx/IR/TLXDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "plugins/tlx/IR/TLXTypes.cpp.inc"

#define GET_OP_CLASSES
#include "plugins/tlx/IR/TLXOps.cpp.inc"

namespace tlx {

namespace {

/// Every op may be in a function that is inlined, and functions are inlined
/// into tasks.
struct InlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace

void TLXDialect::initialize() {
  addInterfaces<InlinerInterface>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "plugins/tlx/IR/TLXTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "plugins/tlx/IR/TLXOps.cpp.inc"
      >();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(parser.getContext(), shape, elementType);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << '>';
}

int64_t BufferType::getNumBytes() const {
  return llvm::product_of(getShape()) *
         (getElementType().getIntOrFloatBitWidth() / 8);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || llvm::any_of(shape, [](int64_t d) { return d <= 0; }))
    return emitError() << "a buffer needs one or more positive dimensions, but "
                          "has ["
                       << shape << "]";
  if (!elementType.isIntOrFloat() ||
      elementType.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "a buffer holds elements of whole bytes, not "
                       << elementType;
  return success();
}

} // namespace tlx
