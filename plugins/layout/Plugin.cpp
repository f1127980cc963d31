// Everything that liblayout.so exports.

#include "triton_plugin/Plugin.h"
#include "plugins/layout/IR/Builders.h"
#include "plugins/layout/IR/Layout.h"
#include "plugins/layout/Transforms/Passes.h"
#include "triton_plugin/Bridge.h"

namespace {

using triton_plugin::dialect;
using triton_plugin::op;
using triton_plugin::pass;

constexpr const char *architectures[] = {"sm_80", "sm_89", "sm_90a", "gfx942",
                                         "gfx950"};

constexpr triton_plugin::DialectInfo dialects[] = {
    dialect<"layout", layout::LayoutDialect>(),
};

constexpr triton_plugin::PassInfo passes[] = {
    pass<"layout_enter_ttgpuir", triton_plugin::bridgeEnter<"layout">>(),
    pass<"layout_exit_ttgpuir", triton_plugin::bridgeExit<"layout">>(),
    pass<"layout_resolve", layout::createLayoutResolve>(),
    pass<"layout_lower", layout::createLayoutLower>(),
    pass<"layout_merge_conversions", layout::createLayoutMergeConversions>(),
    pass<"layout_shrink_conversions", layout::createLayoutShrinkConversions>(),
    pass<"layout_hoist_conversions", layout::createLayoutHoistConversions>(),
    pass<"layout_rematerialize", layout::createLayoutRematerialize>(),
    pass<"layout_report", layout::createLayoutReport>(),
};

constexpr triton_plugin::OpInfo ops[] = {
    op<"layout_pin", layout::buildPin>(),
    op<"layout_release", layout::buildRelease>(),
    op<"layout_convert", layout::buildConvert>(),
    op<"layout_assert_trivial", layout::buildAssertTrivial>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "layout",
    .version = "0.1.0",
    .architectures = architectures,
    .dialects = dialects,
    .passes = passes,
    .ops = ops,
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
