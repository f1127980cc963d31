// Everything that libsparsity24.so exports.

#include "triton_plugin/Plugin.h"
#include "plugins/sparsity24/IR/Builders.h"
#include "plugins/sparsity24/IR/Sparsity24.h"
#include "plugins/sparsity24/Transforms/Passes.h"
#include "triton_plugin/Bridge.h"

namespace {

using triton_plugin::dialect;
using triton_plugin::op;
using triton_plugin::pass;

constexpr const char *architectures[] = {"sm_80",  "sm_86",  "sm_89",
                                         "sm_90a", "gfx942", "gfx950"};

constexpr triton_plugin::DialectInfo dialects[] = {
    dialect<"sparsity24", sparsity24::Sparsity24Dialect>(),
};

constexpr triton_plugin::PassInfo passes[] = {
    pass<"sparsity24_expand_compression",
         sparsity24::createSparsity24ExpandCompression>(),
    pass<"sparsity24_enter_ttgpuir",
         triton_plugin::bridgeEnter<"sparsity24">>(),
    pass<"sparsity24_exit_ttgpuir", triton_plugin::bridgeExit<"sparsity24">>(),
    pass<"sparsity24_accelerate_dot",
         sparsity24::createSparsity24AccelerateDot>(),
    pass<"sparsity24_overlap_dots", sparsity24::createSparsity24OverlapDots>(),
    pass<"sparsity24_lower_dots", sparsity24::createSparsity24LowerDots>(),
};

constexpr triton_plugin::OpInfo ops[] = {
    op<"sparsity24_sparse_dot", sparsity24::buildSparseDot>(),
    op<"sparsity24_compress", sparsity24::buildCompress>(),
    op<"sparsity24_compress_meta", sparsity24::buildCompressMeta>(),
    op<"sparsity24_decompress", sparsity24::buildDecompress>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "sparsity24",
    .version = "0.1.0",
    .architectures = architectures,
    .dialects = dialects,
    .passes = passes,
    .ops = ops,
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
