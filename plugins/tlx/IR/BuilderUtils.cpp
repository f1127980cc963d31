#include "plugins/tlx/IR/BuilderUtils.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
namespace ttg = mlir::triton::gpu;
using triton_plugin::OpCall;

namespace tlx {

Type getTokenType(OpCall &call) {
  return ttg::AsyncTokenType::get(call.context());
}

TypedValue<BufferType> getBuffer(OpCall &call, StringRef argument) {
  Value value = call.value(argument);
  if (isa<BufferType>(value.getType()))
    return cast<TypedValue<BufferType>>(value);
  std::string type;
  llvm::raw_string_ostream(type) << value.getType();
  call.fail("argument '" + argument +
            "' must be a buffer of tlx.local_alloc or tlx.local_view, but is " +
            type);
}

RankedTensorType getTensorType(OpCall &call, StringRef argument) {
  Type type = call.value(argument).getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  call.fail("argument '" + argument + "' must be a tensor, but is a scalar");
}

Attribute getLayout(OpCall &call, StringRef argument) {
  std::optional<std::string> text = call.optionalString(argument);
  if (!text)
    return {};
  // The layout's own checks report through the context.
  std::string why;
  ScopedDiagnosticHandler handler(
      call.context(), [&](Diagnostic &diagnostic) { why = diagnostic.str(); });
  if (Attribute layout = parseAttribute(*text, call.context()))
    return layout;
  call.fail("argument '" + argument + "' is no layout: " + *text + ": " + why);
}

IntegerAttr getWarps(OpCall &call) {
  std::optional<int64_t> count = call.optionalInteger("warps");
  return count ? call.builder().getI32IntegerAttr(*count) : IntegerAttr();
}

triton::EvictionPolicy getEvictionPolicy(OpCall &call) {
  std::string name = call.string("eviction_policy");
  if (name.empty())
    return triton::EvictionPolicy::NORMAL;
  if (auto policy = triton::symbolizeEvictionPolicy(name))
    return *policy;
  call.fail("argument 'eviction_policy' is '" + Twine(name) +
            "'; it must be '', 'evict_first' or 'evict_last'");
}

} // namespace tlx
