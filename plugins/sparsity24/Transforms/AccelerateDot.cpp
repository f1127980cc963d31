#include "plugins/sparsity24/IR/Instructions.h"
#include "plugins/sparsity24/Transforms/Layouts.h"
#include "plugins/sparsity24/Transforms/Passes.h"
#include "triton_plugin/DiagnosticRecorder.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace sparsity24 {

#define GEN_PASS_DEF_SPARSITY24ACCELERATEDOT
#include "plugins/sparsity24/Transforms/Passes.h.inc"

namespace {

class DotRewriter {
public:
  DotRewriter(SparseDotOp dot, const Instruction &instruction)
      : dot(dot), instruction(instruction), builder(dot) {}

  void run() {
    auto resultType = dot.getResult().getType();
    auto accType =
        resultType.cloneWithEncoding(getAccumulatorLayout(instruction, dot));
    Value acc = convert(dot.getAcc(), accType.getEncoding());
    Value meta = convert(dot.getMeta(),
                         getMetaLayout(instruction, accType,
                                       dot.getMeta().getType().getShape()));
    Value product = instruction.kind == InstructionKind::Wgmma
                        ? createAsync(acc, meta)
                        : createSync(acc, meta);
    dot.replaceAllUsesWith(convert(product, resultType.getEncoding()));
    dot.erase();
  }

private:
  Value convert(Value value, Attribute layout) {
    auto type = cast<RankedTensorType>(value.getType());
    return ttg::ConvertLayoutOp::create(builder, dot.getLoc(),
                                        type.cloneWithEncoding(layout), value);
  }

  Value createSync(Value acc, Value meta) {
    auto operandLayout = [&](unsigned index, unsigned kWidth) {
      return ttg::DotOperandEncodingAttr::get(
          dot.getContext(), index,
          cast<RankedTensorType>(acc.getType()).getEncoding(), kWidth);
    };
    Value values = convert(dot.getValues(),
                           operandLayout(0, getValuesKWidth(instruction)));
    Value b = convert(dot.getB(), operandLayout(1, getBKWidth(instruction)));
    return SparseDotOp::create(builder, dot.getLoc(), acc.getType(), values, b,
                               acc, meta);
  }

  Value createAsync(Value acc, Value meta) {
    Value values = store(dot.getValues()), b = store(dot.getB());
    Value product = AsyncSparseDotOp::create(
        builder, dot.getLoc(), acc.getType(), values, b, acc, meta);
    // Memory is free after its last use, and the hardware reads until the wait
    // ends.
    return ttng::WarpGroupDotWaitOp::create(builder, dot.getLoc(),
                                            ValueRange{product, values, b},
                                            /*pendings=*/0)
        .getResult(0);
  }

  /// Puts an operand into shared memory. A transposed one is stored as it was
  /// before, and read through a view: wgmma takes 16-bit operands either way.
  Value store(Value operand) {
    while (auto conversion = operand.getDefiningOp<ttg::ConvertLayoutOp>())
      operand = conversion.getSrc();
    auto trans = operand.getDefiningOp<tt::TransOp>();
    Value source = trans ? trans.getSrc() : operand;
    auto type = cast<RankedTensorType>(source.getType());
    auto layout = ttg::NVMMASharedEncodingAttr::get(
        dot.getContext(), type.getShape(), /*order=*/ArrayRef<unsigned>{1, 0},
        ttg::getCGALayout(type.getEncoding()), type.getElementType(),
        /*fp4Padded=*/false);
    auto memory = ttg::MemDescType::get(
        type.getShape(), type.getElementType(), layout,
        ttg::SharedMemorySpaceAttr::get(dot.getContext()));
    Value stored =
        ttg::LocalAllocOp::create(builder, dot.getLoc(), memory, source);
    return trans ? ttg::MemDescTransOp::create(builder, dot.getLoc(), stored,
                                               ArrayRef<int32_t>{1, 0})
                       .getResult()
                 : stored;
  }

  SparseDotOp dot;
  const Instruction &instruction;
  OpBuilder builder;
};

struct AccelerateDot : impl::Sparsity24AccelerateDotBase<AccelerateDot> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    triton_plugin::DiagnosticRecorder recorder(module, getArgument());
    SmallVector<SparseDotOp> dots;
    module.walk([&](SparseDotOp dot) { dots.push_back(dot); });
    for (SparseDotOp dot : dots) {
      FailureOr<const Instruction *> instruction = findInstruction(dot);
      if (failed(instruction))
        return signalPassFailure();
      DotRewriter(dot, **instruction).run();
    }
  }
};

} // namespace
} // namespace sparsity24
