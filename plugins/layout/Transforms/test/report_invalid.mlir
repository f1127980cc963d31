// RUN: %plugin_opt --pass layout_report --expect-failure %s | %FileCheck %s

// CHECK: the module names no target that this Triton knows; it needs the attribute ttg.target
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
}
