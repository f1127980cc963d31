#include "plugins/sparsity24/Transforms/Layouts.h"
#include "triton/Dialect/TritonGPU/IR/LinearLayoutConversions.h"
#include "triton/Dialect/TritonGPU/Transforms/Utility.h"
#include "triton/Tools/LayoutUtils.h"

using namespace mlir;
namespace tt = mlir::triton;
namespace ttg = mlir::triton::gpu;

namespace sparsity24 {

namespace {

using Bases = std::vector<std::vector<int32_t>>;

/// Splits warps over a result so that a warp's part is about square, which
/// needs the fewest operands.
SmallVector<unsigned, 2> splitWarps(const Instruction &instruction,
                                    ArrayRef<int64_t> shape,
                                    unsigned numWarps) {
  unsigned warpsM = 1, warpsN = 1;
  while (warpsM * warpsN < numWarps) {
    int64_t restM = shape[0] / (instruction.m * warpsM);
    int64_t restN = shape[1] / (instruction.n * warpsN);
    bool tallerThanWide =
        restM * instruction.m >= restN * instruction.n && restM > 1;
    (tallerThanWide || restN <= 1 ? warpsM : warpsN) *= 2;
  }
  return {warpsM, warpsN};
}

/// The bases of one input dimension that move along the rows, without their
/// part along the columns. Other bases become zero, or nothing.
Bases getRowBases(const tt::LinearLayout &layout, StringAttr dimension,
                  bool keepOthers) {
  Bases rows;
  for (const std::vector<int32_t> &basis : layout.getBases().lookup(dimension))
    if (basis[0] != 0 || keepOthers)
      rows.push_back({basis[0], 0});
  return rows;
}

} // namespace

Attribute getAccumulatorLayout(const Instruction &instruction,
                               SparseDotOp dot) {
  MLIRContext *context = dot.getContext();
  RankedTensorType type = dot.getResult().getType();
  unsigned numWarps = ttg::lookupNumWarps(dot);
  ttg::CGAEncodingAttr cga = ttg::getCGALayout(type.getEncoding());
  switch (instruction.kind) {
  case InstructionKind::Wgmma: {
    // A warp group has the 64 rows of an instruction, 16 a warp; more warps
    // take further rows first, then columns.
    unsigned warpsM = std::min<unsigned>(numWarps, type.getDimSize(0) / 16);
    return ttg::NvidiaMmaEncodingAttr::get(
        context, /*versionMajor=*/3, /*versionMinor=*/0,
        {warpsM, numWarps / warpsM}, cga,
        mmaVersionToInstrShape(/*version=*/3, type.getShape(),
                               dot.getValues().getType().getElementType(),
                               numWarps));
  }
  case InstructionKind::Mma:
    return ttg::NvidiaMmaEncodingAttr::get(
        context, /*versionMajor=*/2, /*versionMinor=*/0,
        splitWarps(instruction, type.getShape(), numWarps), cga,
        {instruction.m, instruction.n});
  case InstructionKind::Smfmac: {
    auto target = dot->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
        ttg::AttrTargetName);
    return ttg::AMDMfmaEncodingAttr::get(
        context, /*version=*/target.getValue() == "hip:gfx950" ? 4 : 3,
        splitWarps(instruction, type.getShape(), numWarps),
        {instruction.m, instruction.n, instruction.k / 2},
        /*isTransposed=*/false, cga);
  }
  }
  llvm_unreachable("all kinds are handled");
}

unsigned getValuesKWidth(const Instruction &instruction) {
  if (instruction.kind != InstructionKind::Smfmac)
    return 2;
  unsigned lanesAlongK = 64 / instruction.m;
  return instruction.k / 2 / lanesAlongK;
}

unsigned getBKWidth(const Instruction &instruction) {
  return instruction.kind == InstructionKind::Smfmac ? 8 : 2;
}

Attribute getMetaLayout(const Instruction &instruction, RankedTensorType acc,
                        ArrayRef<int64_t> metaShape) {
  MLIRContext *context = acc.getContext();
  auto dimension = [&](StringRef name) {
    return StringAttr::get(context, name);
  };
  StringAttr registers = dimension("register"), lanes = dimension("lane"),
             warps = dimension("warp"), blocks = dimension("block");
  tt::LinearLayout accLayout = ttg::toLinearLayout(acc);

  // Words that lanes hold along K; a zero stands for lanes that share a word.
  Bases laneBases;
  int32_t firstRegisterWord = 1;
  auto addLaneWord = [&](bool shared) {
    bool exists = firstRegisterWord < metaShape[1];
    laneBases.push_back({0, shared || !exists ? 0 : firstRegisterWord});
    if (!shared && exists)
      firstRegisterWord *= 2;
  };
  if (instruction.kind == InstructionKind::Smfmac) {
    for (unsigned row = 1; row < instruction.m; row *= 2)
      laneBases.push_back({static_cast<int32_t>(row), 0});
    // A lane reads the nibbles of its own values: a whole word for eight of
    // them, one byte of a word that two lanes share for four.
    bool sharesWords = getValuesKWidth(instruction) == 4;
    for (unsigned lane = instruction.m; lane < 64; lane *= 2)
      addLaneWord(/*shared=*/sharesWords && lane == instruction.m);
  } else {
    // The two lanes that selector 0 reads, then those of selector 1.
    addLaneWord(/*shared=*/false);
    addLaneWord(/*shared=*/false);
    for (int32_t row : {1, 2, 4})
      laneBases.push_back({row, 0});
  }

  Bases registerBases;
  if (instruction.kind == InstructionKind::Smfmac) {
    // The rows between those of one instruction and the next.
    for (const std::vector<int32_t> &basis :
         getRowBases(accLayout, registers, /*keepOthers=*/false))
      if (basis[0] >= static_cast<int32_t>(instruction.m))
        registerBases.push_back(basis);
  } else {
    registerBases = getRowBases(accLayout, registers, /*keepOthers=*/false);
  }
  for (int32_t word = firstRegisterWord; word < metaShape[1]; word *= 2)
    registerBases.push_back({0, word});

  tt::LinearLayout layout(
      {{registers, registerBases},
       {lanes, laneBases},
       {warps, getRowBases(accLayout, warps, /*keepOthers=*/true)},
       {blocks, getRowBases(accLayout, blocks, /*keepOthers=*/true)}},
      tt::standardOutDimNames(context, 2));
  return ttg::LinearEncodingAttr::get(context, layout);
}

} // namespace sparsity24
