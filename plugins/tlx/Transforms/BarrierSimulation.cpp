#include "plugins/tlx/Transforms/BarrierSimulation.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plugins/tlx/Transforms/BarrierUses.h"
#include "plugins/tlx/Transforms/Evaluate.h"
#include "plugins/tlx/Transforms/Places.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

using namespace mlir;

namespace tlx {

namespace {

/// Ops of all tasks that are run before the kernel is taken to go on for ever.
constexpr int64_t maxSteps = 1 << 16;

bool isBarrierOp(Operation &op) {
  return isa<BarrierWaitOp, BarrierArriveOp, BarrierExpectOp,
             AsyncDescriptorLoadOp, AsyncBulkLoadOp>(op);
}

/// True if the op may wait for other tasks or signal them, by barriers in
/// memory or in ways that are not followed.
bool ordersTasks(Operation &op) {
  auto assembly = dyn_cast<triton::ElementwiseInlineAsmOp>(op);
  return isBarrierOp(op) || isa<AsyncTasksOp, triton::CallOp>(op) ||
         (assembly && !assembly.getPure() &&
          !assembly.getAsmString().starts_with("mov"));
}

void endPhaseIfDone(SimulatedBarrier &barrier) {
  if (barrier.pendingArrivals > 0 || barrier.pendingBytes != 0)
    return;
  barrier.pendingArrivals = barrier.arriveCount;
  ++barrier.phase;
}

/// A block that is being run, with the loop's counter if it is a loop's.
struct Frame {
  Operation *op;
  Block *block;
  Block::iterator next;
  int64_t index = 0;
  int64_t end = 0;
  int64_t step = 0;
};

enum class Step { Ran, Blocked, NotKnown };

/// The op that the kernel or one of its tasks has come to, and the integers
/// that it knows.
class Agent {
public:
  using Values = DenseMap<Value, int64_t>;
  using Barriers = DenseMap<Operation *, SmallVector<SimulatedBarrier>>;

  Agent(Operation *op, Values values)
      : values(std::move(values)),
        stack({makeFrame(op, &op->getRegion(0).front())}) {}

  bool isDone() const { return stack.empty(); }
  /// The op to run; null at the end of a block.
  Operation *getNext() const {
    const Frame &frame = stack.back();
    return frame.next == frame.block->end() ? nullptr : &*frame.next;
  }
  const Values &getValues() const { return values; }
  void skip() { ++stack.back().next; }

  std::optional<int64_t> get(Value value) const {
    if (auto constant = getConstantNumber(value))
      return constant;
    auto found = values.find(value);
    return found == values.end() ? std::nullopt
                                 : std::optional<int64_t>(found->second);
  }

  Step run(Barriers &barriers) {
    if (!getNext() || isa<triton::ReturnOp>(getNext())) {
      stack.pop_back();
      return Step::Ran;
    }
    Operation &op = *getNext();
    if (auto yield = dyn_cast<scf::YieldOp>(op))
      return leave(yield);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return enter(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return enter(branch);
    Step step = runSimple(op, barriers);
    if (step == Step::Ran)
      skip();
    return step;
  }

  /// The barrier that an op of theirs is about; null where it is not known.
  SimulatedBarrier *getBarrier(Operation &op, Barriers &barriers) const {
    std::optional<Place> place = getPlace(getBarrierOperand(op));
    auto index = place ? get(place->index) : std::optional<int64_t>();
    if (!index)
      return nullptr;
    SmallVector<SimulatedBarrier> &all = barriers[place->allocation];
    return *index >= 0 && *index < static_cast<int64_t>(all.size())
               ? &all[*index]
               : nullptr;
  }

private:
  static Value getBarrierOperand(Operation &op) {
    if (auto copy = dyn_cast<AsyncDescriptorLoadOp>(op))
      return copy.getBarrier();
    if (auto copy = dyn_cast<AsyncBulkLoadOp>(op))
      return copy.getBarrier();
    return op.getOperand(0);
  }

  static std::optional<int64_t> getReplica(Operation &op) {
    auto task = op.getParentOfType<AsyncTaskOp>();
    return task ? std::optional<int64_t>(task.getReplica()) : std::nullopt;
  }

  static Frame makeFrame(Operation *op, Block *block) {
    return {op, block, block->begin()};
  }

  void set(Value value, std::optional<int64_t> number) {
    if (number)
      values[value] = *number;
    else
      values.erase(value);
  }

  /// Sets values to what others are now, all at once.
  void assign(ValueRange targets, ValueRange sources) {
    auto numbers =
        llvm::map_to_vector(sources, [&](Value source) { return get(source); });
    for (auto [target, number] : llvm::zip(targets, numbers))
      set(target, number);
  }

  /// Goes on behind an op that runs in ways that are not known.
  Step passOver(Operation *op) {
    WalkResult walk = op->walk([](Operation *nested) {
      return ordersTasks(*nested) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return Step::NotKnown;
    for (Value result : op->getResults())
      values.erase(result);
    skip();
    return Step::Ran;
  }

  Step enter(scf::ForOp loop) {
    auto begin = get(loop.getLowerBound()), end = get(loop.getUpperBound()),
         step = get(loop.getStep());
    if (!begin || !end || !step || *step <= 0)
      return passOver(loop);
    skip();
    if (*begin >= *end) {
      assign(loop.getResults(), loop.getInitArgs());
      return Step::Ran;
    }
    assign(loop.getRegionIterArgs(), loop.getInitArgs());
    values[loop.getInductionVar()] = *begin;
    Frame frame = makeFrame(loop, loop.getBody());
    frame.index = *begin;
    frame.end = *end;
    frame.step = *step;
    stack.push_back(frame);
    return Step::Ran;
  }

  Step enter(scf::IfOp branch) {
    auto condition = get(branch.getCondition());
    if (!condition)
      return passOver(branch);
    skip();
    if (Block *block = *condition ? branch.thenBlock() : branch.elseBlock())
      stack.push_back(makeFrame(branch, block));
    return Step::Ran;
  }

  Step leave(scf::YieldOp yield) {
    Frame &frame = stack.back();
    auto loop = dyn_cast<scf::ForOp>(frame.op);
    frame.index += frame.step;
    if (loop && frame.index < frame.end) {
      assign(loop.getRegionIterArgs(), yield.getOperands());
      values[loop.getInductionVar()] = frame.index;
      frame.next = loop.getBody()->begin();
      return Step::Ran;
    }
    Operation *op = frame.op;
    stack.pop_back();
    assign(op->getResults(), yield.getOperands());
    return Step::Ran;
  }

  Step runSimple(Operation &op, Barriers &barriers) {
    if (isBarrierOp(op))
      return runBarrierOp(op, barriers);
    if (ordersTasks(op) || (op.getNumRegions() > 0 && !isMemoryEffectFree(&op)))
      return Step::NotKnown;
    SmallVector<int64_t> operands;
    for (Value operand : op.getOperands())
      if (auto number = get(operand))
        operands.push_back(*number);
    std::optional<int64_t> result;
    if (isa<triton::GetProgramIdOp>(op))
      result = 0;
    else if (isa<triton::GetNumProgramsOp>(op))
      result = 1;
    else if (isa<TaskReplicaOp>(op))
      result = getReplica(op);
    else if (operands.size() == op.getNumOperands())
      result = evaluate(&op, operands);
    for (Value value : op.getResults())
      set(value, result);
    return Step::Ran;
  }

  Step runBarrierOp(Operation &op, Barriers &barriers) {
    if (Value predicate = getPredicate(&op)) {
      auto runs = get(predicate);
      if (!runs)
        return Step::NotKnown;
      if (!*runs)
        return Step::Ran;
    }
    SimulatedBarrier *barrier = getBarrier(op, barriers);
    if (!barrier)
      return Step::NotKnown;
    if (auto wait = dyn_cast<BarrierWaitOp>(op)) {
      auto parity = get(wait.getPhase());
      if (parity != 0 && parity != 1)
        return Step::NotKnown;
      return (barrier->phase & 1) == *parity ? Step::Blocked : Step::Ran;
    }
    // Arguments are tried out, but a number of bytes that one of them gives is
    // as announced.
    std::optional<int64_t> copied = getCopiedBytes(&op);
    if (!copied)
      return Step::NotKnown;
    if (auto expect = dyn_cast<BarrierExpectOp>(op))
      barrier->pendingBytes += expect.getBytes();
    barrier->pendingBytes -= *copied;
    if (isa<BarrierArriveOp, BarrierExpectOp>(op))
      barrier->pendingArrivals -= getArrivalCount(&op);
    if (barrier->pendingArrivals < 0)
      return Step::NotKnown;
    endPhaseIfDone(*barrier);
    return Step::Ran;
  }

  Values values;
  SmallVector<Frame> stack;
};

/// Runs what a kernel does with its barriers, with one number for all of its
/// integer arguments.
class Simulation {
public:
  Simulation(triton::FuncOp function, int64_t argument)
      : kernel(function, getArguments(function, argument)),
        hasArgumentsThatMayDiffer(
            llvm::count_if(function.getArguments(), [](Value value) {
              return isInteger(value) && !value.use_empty();
            }) > 1) {
    function.walk([&](AllocBarriersOp op) {
      int64_t count = op.getArriveCount();
      barriers[op].assign(op.getType().getShape()[0],
                          SimulatedBarrier{count, count});
    });
  }

  /// Where the kernel or its tasks wait for ever. Empty if they do not, or if
  /// what they do is not known.
  SmallVector<LastWait> run() {
    while (!kernel.isDone() && known && lastWaits.empty()) {
      auto tasks = dyn_cast_or_null<AsyncTasksOp>(kernel.getNext());
      if (!tasks) {
        if (runOne(kernel) == Step::Blocked)
          addLastWait(kernel);
        continue;
      }
      runTasks(tasks);
      kernel.skip();
    }
    return known ? lastWaits : SmallVector<LastWait>();
  }

private:
  static bool isInteger(Value value) {
    return value.getType().isInteger(32) || value.getType().isInteger(64);
  }

  static Agent::Values getArguments(triton::FuncOp function, int64_t argument) {
    Agent::Values values;
    for (Value value :
         llvm::make_filter_range(function.getArguments(), isInteger))
      values[value] = argument;
    return values;
  }

  Step runOne(Agent &agent) {
    Step step = steps++ < maxSteps ? agent.run(barriers) : Step::NotKnown;
    known &= step != Step::NotKnown;
    return step;
  }

  /// Lets each task run up to a wait in turns, until all have ended or none
  /// goes on.
  void runTasks(AsyncTasksOp op) {
    std::vector<Agent> tasks;
    for (auto task : op.getBody().getOps<AsyncTaskOp>())
      tasks.emplace_back(task, kernel.getValues());
    bool goesOn = true;
    while (goesOn && known) {
      goesOn = false;
      for (Agent &task : tasks)
        while (!task.isDone() && runOne(task) == Step::Ran)
          goesOn = true;
    }
    // A task that has ended may have had too few turns for the others only
    // since all arguments are one number.
    auto isDone = [](const Agent &task) { return task.isDone(); };
    if (hasArgumentsThatMayDiffer && llvm::any_of(tasks, isDone) &&
        !llvm::all_of(tasks, isDone))
      known = false;
    for (const Agent &task : tasks)
      if (known && !task.isDone())
        addLastWait(task);
  }

  void addLastWait(const Agent &agent) {
    Operation *op = agent.getNext();
    lastWaits.push_back(
        {cast<BarrierWaitOp>(op), *agent.getBarrier(*op, barriers)});
  }

  Agent kernel;
  bool hasArgumentsThatMayDiffer;
  Agent::Barriers barriers;
  SmallVector<LastWait> lastWaits;
  int64_t steps = 0;
  bool known = true;
};

} // namespace

SmallVector<LastWait> simulateBarriers(triton::FuncOp function,
                                       int64_t argument) {
  return Simulation(function, argument).run();
}

} // namespace tlx
