#include "plugins/layout/IR/Builders.h"
#include "mlir/AsmParser/AsmParser.h"
#include "plugins/layout/IR/Layout.h"

using namespace mlir;
using triton_plugin::OpCall;

namespace layout {

namespace {

Value getTensor(OpCall &call, StringRef argument) {
  Value value = call.value(argument);
  if (isa<RankedTensorType>(value.getType()))
    return value;
  call.fail("argument '" + argument +
            "' must be a tensor, but is a scalar, "
            "which has no layout");
}

/// A layout, which the Python side spells as MLIR does; null if not given.
Attribute getLayout(OpCall &call, StringRef argument) {
  std::optional<std::string> text = call.optionalString(argument);
  if (!text)
    return {};
  std::string said;
  Attribute layout;
  {
    ScopedDiagnosticHandler handler(call.context(), [&](Diagnostic &error) {
      said += (said.empty() ? "" : "; ") + error.str();
    });
    layout = parseAttribute(*text, call.context());
  }
  if (!layout)
    call.fail("argument '" + argument + "' is no valid layout: " + *text +
              ": " + said);
  return layout;
}

Via getVia(OpCall &call) {
  std::string name = call.string("via");
  if (std::optional<Via> via = symbolizeVia(name))
    return *via;
  call.fail("argument 'via' is '" + Twine(name) +
            "'; it must be 'auto', 'registers', 'shuffle', 'shared' or a "
            "layout of shared memory");
}

} // namespace

Value buildPin(OpCall &call) {
  Value source = getTensor(call, "source");
  return call.create<PinOp>(source.getType(), source,
                            call.optionalValue("like"),
                            getLayout(call, "layout"));
}

Value buildRelease(OpCall &call) {
  Value source = getTensor(call, "source");
  return call.create<ReleaseOp>(source.getType(), source);
}

Value buildConvert(OpCall &call) {
  Value source = getTensor(call, "source");
  return call.create<ConvertOp>(
      source.getType(), source, call.optionalValue("like"),
      getLayout(call, "layout"), getVia(call), getLayout(call, "shared"));
}

Value buildAssertTrivial(OpCall &call) {
  Value source = getTensor(call, "source");
  return call.create<AssertTrivialOp>(source.getType(), source,
                                      call.optionalValue("like"),
                                      getLayout(call, "layout"));
}

} // namespace layout
