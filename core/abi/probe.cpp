// Classes that plugins share with libtriton.so. This is compiled so that the
// debug information has every class of these headers, used or not, and never
// runs.

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "triton/Analysis/Alias.h"
#include "triton/Analysis/Allocation.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Analysis/Membar.h"
#include "triton/Analysis/Utility.h"
#include "triton/Conversion/TritonGPUToLLVM/ElementwiseOpToLLVMBase.h"
#include "triton/Conversion/TritonGPUToLLVM/PatternTritonGPUOpToLLVM.h"
#include "triton/Conversion/TritonGPUToLLVM/TargetInfoBase.h"
#include "triton/Conversion/TritonGPUToLLVM/TypeConverter.h"
#include "triton/Conversion/TritonGPUToLLVM/Utility.h"
#include "triton/Dialect/Gluon/IR/Dialect.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/IR/Utility.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton/Dialect/TritonGPU/Transforms/Partition.h"
#include "triton/Dialect/TritonGPU/Transforms/PipelineExpander.h"
#include "triton/Dialect/TritonGPU/Transforms/PipeliningUtility.h"
#include "triton/Dialect/TritonGPU/Transforms/Schedule.h"
#include "triton/Dialect/TritonGPU/Transforms/TritonGPUConversion.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton/Dialect/TritonInstrument/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/IR/Dialect.h"
#include "triton/Dialect/TritonNvidiaGPU/Transforms/TMAUtilities.h"
#include "triton/Tools/LayoutUtils.h"
#include "triton/Tools/LinearLayout.h"
#include "triton_plugin/Bridge.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "triton_plugin/Note.h"
#include "triton_plugin/OpCall.h"
#include "triton_plugin/Plugin.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TinyPtrVector.h"

namespace {

using namespace mlir;

/// Containers that cross the boundary filled, as arguments or in objects.
struct Containers {
  DenseMap<Attribute, Attribute> attributesByAttribute;
  DenseMap<Block *, Block *> blocksByBlock;
  DenseMap<Operation *, unsigned> numbersByOperation;
  DenseMap<Operation *, Operation *> operationsByOperation;
  DenseMap<Value, SmallVector<Value>> listsByValue;
  DenseMap<Value, Value> valuesByValue;
  DenseSet<Operation *> operations;
  DenseSet<Value> values;
  llvm::MapVector<Operation *, unsigned> orderedNumbers;
  llvm::MapVector<StringAttr, int> orderedNames;
  SetVector<Operation *> orderedOperations;
  SetVector<Value> orderedValues;
  llvm::SmallPtrSet<Operation *, 8> fewOperations;
  SmallVector<Attribute> attributeList;
  SmallVector<Block *> blockList;
  SmallVector<NamedAttribute> namedAttributeList;
  SmallVector<OpFoldResult> foldResultList;
  SmallVector<Operation *> operationList;
  SmallVector<Region *> regionList;
  SmallVector<Type> typeList;
  SmallVector<Value> valueList;
  SmallVector<bool> boolList;
  SmallVector<int32_t> intList;
  SmallVector<int64_t> longList;
  SmallVector<unsigned> unsignedList;
  llvm::StringMap<int64_t> numbersByString;
  StringSet<> strings;
  TinyPtrVector<Operation *> tinyList;
  std::function<LogicalResult(Diagnostic &)> callback;
  std::optional<int64_t> optionalNumber;
  std::unique_ptr<Pass> pass;
  std::vector<std::string> arguments;
  std::vector<Value> operands;
};

} // namespace

/// Debug information belongs to code: without any the file would have none.
extern "C" __attribute__((visibility("default"))) size_t abiProbe() {
  return sizeof(Containers);
}
