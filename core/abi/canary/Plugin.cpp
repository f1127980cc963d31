// Everything that libcanary.so exports.

#include "triton_plugin/Plugin.h"
#include "core/abi/canary/Canary.h"

namespace {

constexpr const char *architectures[] = {"sm_80", "gfx942"};

constexpr triton_plugin::DialectInfo dialects[] = {
    triton_plugin::dialect<"canary", canary::CanaryDialect>(),
};

constexpr triton_plugin::PassInfo passes[] = {
    triton_plugin::pass<"canary_inspect", canary::createInspect>(),
    triton_plugin::pass<"canary_rewrite", canary::createRewrite>(),
};

constexpr triton_plugin::Definition plugin = {
    .name = "canary",
    .version = "1",
    .architectures = architectures,
    .dialects = dialects,
    .passes = passes,
    .ops = {},
};

} // namespace

TRITON_PLUGIN_EXPORT(plugin)
