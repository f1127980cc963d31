#include "triton_plugin/OpCall.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"
#include <stdexcept>

using namespace mlir;
using llvm::StringRef;
using llvm::Twine;

namespace triton_plugin {

namespace {
// The names are shared with triton_plugins/dsl.py.
constexpr StringRef carrierAttrName = "triton_plugin.args";
constexpr StringRef argumentsKey = "args";
constexpr StringRef valuesKey = "values";

std::string print(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << attr;
  return text;
}
} // namespace

OpCall::OpCall(StringRef opName, TritonOpBuilder &builder,
               ArrayRef<Value> values)
    : opName(opName), tritonBuilder(builder) {
  Operation *carrier = values.empty() ? nullptr : values.back().getDefiningOp();
  auto text =
      carrier ? carrier->getAttrOfType<StringAttr>(carrierAttrName) : nullptr;
  if (!text)
    fail("was called without its arguments; call it through "
         "triton_plugins.dsl.create_op, not through the builder");
  auto call = dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, context()));
  if (carrier->use_empty())
    carrier->erase();
  if (!call)
    fail("the argument text is not an MLIR dictionary: " + text.getValue());

  attributes = call.getAs<DictionaryAttr>(argumentsKey);
  auto names = call.getAs<ArrayAttr>(valuesKey);
  ArrayRef<Value> operandValues = values.drop_back();
  if (!attributes || !names || names.size() != operandValues.size())
    fail("the argument text does not fit the " + Twine(operandValues.size()) +
         " operands: " + text.getValue());
  for (auto [name, value] :
       llvm::zip_equal(names.getAsValueRange<StringAttr>(), operandValues)) {
    if (!value)
      fail("argument '" + name + "' is a null value");
    operands.emplace_back(name, value);
  }
}

void OpCall::fail(const Twine &message) const {
  throw std::runtime_error((opName + ": " + message).str());
}

void OpCall::checkAllUsed() const {
  auto check = [&](StringRef argument) {
    if (!asked.contains(argument))
      fail("it takes no argument '" + argument +
           "'; the plugin's library and its Python package may be of different "
           "builds");
  };
  for (NamedAttribute attribute : attributes)
    check(attribute.getName());
  for (auto [name, value] : operands)
    check(name);
}

Attribute OpCall::find(StringRef argument) const {
  asked.insert(argument);
  return attributes.get(argument);
}

bool OpCall::has(StringRef argument) const {
  return find(argument) || optionalValue(argument);
}

Value OpCall::optionalValue(StringRef argument) const {
  SmallVector<Value> found = values(argument);
  if (found.size() > 1)
    fail("argument '" + argument + "' must be one value, but is a list of " +
         Twine(found.size()));
  return found.empty() ? Value() : found.front();
}

Value OpCall::value(StringRef argument) const {
  if (Value found = optionalValue(argument))
    return found;
  if (Attribute attr = find(argument))
    failType(argument, "a value", attr);
  fail("argument '" + argument + "' is missing; it must be a value");
}

SmallVector<Value> OpCall::values(StringRef argument) const {
  asked.insert(argument);
  SmallVector<Value> found;
  for (auto [name, value] : operands)
    if (name == argument)
      found.push_back(value);
  return found;
}

Attribute OpCall::attribute(StringRef argument) const { return find(argument); }

Attribute OpCall::required(StringRef argument, const Twine &expected) const {
  if (Attribute attr = find(argument))
    return attr;
  if (optionalValue(argument))
    fail("argument '" + argument + "' must be " + expected +
         " known at compile time, but is a run-time value");
  fail("argument '" + argument + "' is missing; it must be " + expected);
}

void OpCall::failType(StringRef argument, const Twine &expected,
                      Attribute found) const {
  fail("argument '" + argument + "' must be " + expected + ", but is " +
       print(found));
}

int64_t OpCall::integer(StringRef argument) const {
  Attribute attr = required(argument, "an integer");
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    if (!integer.getType().isInteger(1))
      return integer.getInt();
  failType(argument, "an integer", attr);
}

double OpCall::real(StringRef argument) const {
  Attribute attr = required(argument, "a float");
  if (auto real = dyn_cast<FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    if (!integer.getType().isInteger(1))
      return static_cast<double>(integer.getInt());
  failType(argument, "a float", attr);
}

bool OpCall::boolean(StringRef argument) const {
  Attribute attr = required(argument, "a bool");
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return boolean.getValue();
  failType(argument, "a bool", attr);
}

std::string OpCall::string(StringRef argument) const {
  Attribute attr = required(argument, "a string");
  if (auto string = dyn_cast<StringAttr>(attr))
    return string.str();
  failType(argument, "a string", attr);
}

Type OpCall::type(StringRef argument) const {
  Attribute attr = required(argument, "a dtype");
  if (auto type = dyn_cast<TypeAttr>(attr))
    return type.getValue();
  failType(argument, "a dtype", attr);
}

SmallVector<int64_t> OpCall::integers(StringRef argument) const {
  Attribute attr = required(argument, "a list of integers");
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || !llvm::all_of(array, [](Attribute element) {
        auto integer = dyn_cast<IntegerAttr>(element);
        return integer && !integer.getType().isInteger(1);
      }))
    failType(argument, "a list of integers", attr);
  return llvm::map_to_vector(array, [](Attribute element) {
    return cast<IntegerAttr>(element).getInt();
  });
}

std::optional<int64_t> OpCall::optionalInteger(StringRef argument) const {
  return has(argument) ? std::optional(integer(argument)) : std::nullopt;
}

std::optional<double> OpCall::optionalReal(StringRef argument) const {
  return has(argument) ? std::optional(real(argument)) : std::nullopt;
}

std::optional<bool> OpCall::optionalBoolean(StringRef argument) const {
  return has(argument) ? std::optional(boolean(argument)) : std::nullopt;
}

std::optional<std::string> OpCall::optionalString(StringRef argument) const {
  return has(argument) ? std::optional(string(argument)) : std::nullopt;
}

OpCall::DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          text += (text.empty() ? "" : "; ") + diagnostic.str();
      }) {}

void OpCall::verifyOrFail(Operation *op) const {
  DiagnosticCollector collector(tritonBuilder.getContext());
  // Regions are verified by their own ops; an op under construction may still
  // have an empty one.
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return;
  op->erase();
  fail(collector.text);
}

} // namespace triton_plugin
