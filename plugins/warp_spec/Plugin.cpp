// Everything that libwarp_spec.so exports.

#include "triton_plugin/Plugin.h"
#include "plugins/warp_spec/IR/Builders.h"
#include "plugins/warp_spec/IR/WarpSpec.h"
#include "plugins/warp_spec/Transforms/Passes.h"

namespace {

using triton_plugin::dialect;
using triton_plugin::op;
using triton_plugin::pass;

constexpr const char *architectures[] = {"sm_90a"};

constexpr triton_plugin::DialectInfo dialects[] = {
    dialect<"warp_spec", warp_spec::WarpSpecDialect>(),
};

constexpr triton_plugin::PassInfo passes[] = {
    pass<"warp_spec_mark_loops", warp_spec::createWarpSpecMarkLoops>(),
    pass<"warp_spec_plan", warp_spec::createWarpSpecPlan>(),
    pass<"warp_spec_create_channels",
         warp_spec::createWarpSpecCreateChannels>(),
    pass<"warp_spec_release_stages", warp_spec::createWarpSpecReleaseStages>(),
    pass<"warp_spec_partition", warp_spec::createWarpSpecPartition>(),
    pass<"warp_spec_lower", warp_spec::createWarpSpecLower>(),
    pass<"warp_spec_find_independent_warps",
         warp_spec::createWarpSpecFindIndependentWarps>(),
    pass<"warp_spec_keep_addresses", warp_spec::createWarpSpecKeepAddresses>(),
    pass<"warp_spec_drop_barriers", warp_spec::createWarpSpecDropBarriers>(),
};

constexpr triton_plugin::OpInfo ops[] = {
    op<"warp_spec_mark_loop", warp_spec::buildMarkLoop>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "warp_spec",
    .version = "0.1.0",
    .architectures = architectures,
    .dialects = dialects,
    .passes = passes,
    .ops = ops,
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
