#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "plugins/warp_spec/Transforms/Passes.h"
#include "triton/Dialect/TritonGPU/Transforms/PipeliningUtility.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton_plugin/DiagnosticRecorder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;
namespace ttng = mlir::triton::nvidia_gpu;

namespace warp_spec {

#define GEN_PASS_DEF_WARPSPECLOWER
#include "plugins/warp_spec/Transforms/Passes.h.inc"

namespace {

constexpr int warpSize = 32;

/// One arrival for a warp: its lanes have passed the same wait, and the barrier
/// counts warps. The first operand is the barrier's shared-memory address.
constexpr llvm::StringLiteral arriveOncePerWarp = R"({
  .reg .pred %elected;
  .reg .b32 %lane;
  mov.u32 %lane, %laneid;
  setp.eq.u32 %elected, %lane, 0;
  bar.warp.sync 0xffffffff;
  @%elected mbarrier.arrive.shared::cta.b64 _, [$0];
})";

/// The ops of one side of a channel, in one region.
struct Side {
  Value channel, full, empty;
  SmallVector<Operation *> ops;
};

class SideLowering {
public:
  SideLowering(Side side, bool countsBytes, int64_t bytes)
      : side(std::move(side)), countsBytes(countsBytes), bytes(bytes),
        depth(cast<ChannelType>(this->side.channel.getType()).getDepth()) {}

  void lower() {
    // The loops from the region down to the ops carry the state.
    Operation *inLoop = side.ops.front();
    SmallVector<scf::ForOp> loops;
    for (Operation *op = inLoop->getParentOp(); isa<scf::ForOp>(op);
         op = op->getParentOp())
      loops.push_back(cast<scf::ForOp>(op));
    bool isProducer = isa<AcquireOp, PublishOp, DescriptorCopyOp>(inLoop);
    OpBuilder b(loops.empty() ? inLoop : loops.back());
    Location loc = inLoop->getLoc();
    // All stages are empty at first: the producer's first waits are for the
    // phase before the first, which counts as over.
    State state = {makeInt(b, loc, 0), makeInt(b, loc, isProducer ? 1 : 0)};
    for (scf::ForOp loop : llvm::reverse(loops))
      state = carry(loop, state);
    for (Operation *op : side.ops)
      if (!isa<ReleaseLastOp>(op))
        lowerOp(op, state);
    if (!loops.empty())
      yield(loc);
    for (Operation *op : side.ops)
      if (auto last = dyn_cast<ReleaseLastOp>(op))
        releaseLast(last);
    for (Operation *op : llvm::reverse(side.ops))
      op->erase();
  }

private:
  struct State {
    Value stage, phase;
  };

  static Value makeInt(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }

  /// Makes the loop carry the state and returns it at the loop's beginning.
  State carry(scf::ForOp loop, State init) {
    OpBuilder b(loop);
    scf::ForOp made =
        replaceForOpWithNewSignature(b, loop, {init.stage, init.phase});
    loop.erase();
    carriers.push_back(made);
    auto args = made.getRegionIterArgs().take_back(2);
    return {args[0], args[1]};
  }

  /// The state behind the innermost loop's body, and behind the loops around.
  void yield(Location loc) {
    scf::ForOp innermost = carriers.back();
    OpBuilder b(innermost.getBody()->getTerminator());
    auto args = innermost.getRegionIterArgs().take_back(2);
    State next = advance(b, loc, {args[0], args[1]});
    for (scf::ForOp loop : llvm::reverse(carriers)) {
      appendToForOpYield(loop, {next.stage, next.phase});
      auto results = loop->getResults().take_back(2);
      next = {results[0], results[1]};
    }
  }

  State advance(OpBuilder &b, Location loc, State state) {
    Value one = makeInt(b, loc, 1);
    Value next = arith::AddIOp::create(b, loc, state.stage, one);
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                        makeInt(b, loc, depth));
    Value stage =
        arith::SelectOp::create(b, loc, wraps, makeInt(b, loc, 0), next);
    Value flipped = arith::XOrIOp::create(b, loc, state.phase, one);
    Value phase = arith::SelectOp::create(b, loc, wraps, flipped, state.phase);
    return {stage, phase};
  }

  Value previous(OpBuilder &b, Location loc, Value stage) {
    Value before = arith::SubIOp::create(b, loc, stage, makeInt(b, loc, 1));
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage,
                                        makeInt(b, loc, 0));
    return arith::SelectOp::create(b, loc, wraps, makeInt(b, loc, depth - 1),
                                   before);
  }

  void lowerOp(Operation *op, State state) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto barrier = [&](Value barriers, Value stage) {
      return tt::createSingleBufferView(b, barriers, stage);
    };
    auto always = [&]() -> Value {
      return arith::ConstantIntOp::create(b, loc, 1, 1);
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](AcquireOp acquire) {
          ttng::WaitBarrierOp::create(b, loc, barrier(side.empty, state.stage),
                                      state.phase);
          if (countsBytes)
            ttng::BarrierExpectOp::create(
                b, loc, barrier(side.full, state.stage), bytes, always());
          acquire.getStage().replaceAllUsesWith(state.stage);
        })
        .Case([&](DescriptorCopyOp copy) {
          ttng::AsyncTMACopyGlobalToLocalOp::create(
              b, loc, copy.getDescriptor(), copy.getIndices(),
              barrier(side.full, state.stage), copy.getDestination(), always());
        })
        .Case([&](PublishOp) {
          if (!countsBytes)
            ttng::AsyncCopyMbarrierArriveOp::create(
                b, loc, barrier(side.full, state.stage),
                /*noIncrement=*/true);
        })
        .Case([&](ReceiveOp receive) {
          ttng::WaitBarrierOp::create(b, loc, barrier(side.full, state.stage),
                                      state.phase);
          // cp.async writes through the generic proxy, wgmma reads through the
          // asynchronous one (PTX ISA, "Async proxy").
          if (!countsBytes)
            ttng::FenceAsyncSharedOp::create(b, loc, /*bCluster=*/false);
          receive.getStage().replaceAllUsesWith(state.stage);
        })
        .Case([&](ReleaseOp release) {
          if (!release.getDelayed())
            return arrive(b, loc, barrier(side.empty, state.stage));
          auto loop = cast<scf::ForOp>(release->getParentOp());
          Value notFirst = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ne, loop.getInductionVar(),
              loop.getLowerBound());
          arriveIf(b, loc, notFirst, previous(b, loc, state.stage));
        });
  }

  void releaseLast(ReleaseLastOp op) {
    OpBuilder b(op);
    Value stage = carriers.back()->getResults().take_back(2)[0];
    arriveIf(b, op.getLoc(), op.getAny(), previous(b, op.getLoc(), stage));
  }

  void arriveIf(OpBuilder &b, Location loc, Value condition, Value stage) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    arrive(inner, loc, tt::createSingleBufferView(inner, side.empty, stage));
  }

  void arrive(OpBuilder &b, Location loc, Value barrier) {
    auto assembly = ttg::InlineAsmOp::create(
        b, loc, TypeRange(), arriveOncePerWarp, "r", /*pure=*/false, barrier);
    assembly->setAttr(arriveAttrName, b.getUnitAttr());
  }

  Side side;
  bool countsBytes;
  int64_t bytes;
  int64_t depth;
  SmallVector<scf::ForOp> carriers;
};

/// The ttg.warp_specialize that a channel belongs to, through its captures.
ttg::WarpSpecializeOp getSpecialized(CreateChannelOp create) {
  for (Operation *user : create->getUsers())
    if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
      return cast<ttg::WarpSpecializeOp>(holder->getParentOp());
  return {};
}

/// Passes a value into all partitions and returns the argument of `region`.
Value capture(ttg::WarpSpecializePartitionsOp holder, Region &region,
              Value value) {
  holder->insertOperands(holder->getNumOperands(), value);
  for (Region &partition : holder.getPartitionRegions())
    partition.addArgument(value.getType(), value.getLoc());
  return region.getArguments().back();
}

/// What threads wrote before, the barriers themselves among it, is behind them
/// for all threads and for the asynchronous proxy. Stock Triton would
/// synchronize for it in every iteration else.
void synchronizeBefore(ttg::WarpSpecializeOp specialized) {
  OpBuilder b(specialized);
  ttng::FenceAsyncSharedOp::create(b, specialized.getLoc(), /*bCluster=*/false);
  ttg::BarrierOp::create(b, specialized.getLoc(), ttg::AddrSpace::Local);
}

void lowerChannel(CreateChannelOp create, ttg::WarpSpecializeOp specialized) {
  ttg::WarpSpecializePartitionsOp holder = specialized.getPartitionOp();
  Region &partition = holder.getPartitionRegions().front();
  int64_t depth = create.getType().getDepth();
  bool countsBytes = create.getBytes().has_value();
  int64_t bytes = create.getBytes().value_or(0);
  int producerThreads = specialized.getPartitionNumWarps().front() * warpSize;
  int consumerWarps = ttg::lookupNumWarps(specialized);

  Value full = tt::createBarrierAlloc(specialized, depth,
                                      countsBytes ? 1 : producerThreads);
  Value empty = tt::createBarrierAlloc(specialized, depth, consumerWarps);
  auto index =
      llvm::find(holder.getExplicitCaptures(), create.getResult()).getIndex();
  Value inside = partition.getArgument(index);
  Side consumers = {create.getResult(), full, empty, {}};
  specialized.getDefaultRegion().walk([&](Operation *op) {
    if (llvm::is_contained(op->getOperands(), create.getResult()))
      consumers.ops.push_back(op);
  });
  Side producer = {inside,
                   capture(holder, partition, full),
                   capture(holder, partition, empty),
                   {}};
  partition.walk([&](Operation *op) {
    if (llvm::is_contained(op->getOperands(), inside))
      producer.ops.push_back(op);
  });
  SideLowering(std::move(consumers), countsBytes, bytes).lower();
  SideLowering(std::move(producer), countsBytes, bytes).lower();
  holder->eraseOperand(index);
  for (Region &region : holder.getPartitionRegions())
    region.eraseArgument(index);
  create.erase();
}

struct Lower : impl::WarpSpecLowerBase<Lower> {
  void runOnOperation() override {
    triton_plugin::DiagnosticRecorder recorder(getOperation(), getArgument());
    SmallVector<CreateChannelOp> channels;
    getOperation().walk(
        [&](CreateChannelOp create) { channels.push_back(create); });
    llvm::SetVector<Operation *> owners;
    for (CreateChannelOp create : channels) {
      ttg::WarpSpecializeOp specialized = getSpecialized(create);
      if (!specialized) {
        create.emitError("the channel is in no ttg.warp_specialize; run "
                         "warp-spec-partition first");
        return signalPassFailure();
      }
      lowerChannel(create, specialized);
      owners.insert(specialized);
    }
    for (Operation *owner : owners) {
      owner->setAttr(channelsAttrName, UnitAttr::get(&getContext()));
      synchronizeBefore(cast<ttg::WarpSpecializeOp>(owner));
    }
  }
};

} // namespace
} // namespace warp_spec
