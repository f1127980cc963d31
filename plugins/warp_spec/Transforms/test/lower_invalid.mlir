// RUN: %plugin_opt --pass warp_spec_lower --expect-failure %s | %FileCheck %s

// CHECK: the channel is in no ttg.warp_specialize; run warp-spec-partition first
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @not_partitioned() {
    %channel = warp_spec.create_channel : !warp_spec.channel<2>
    tt.return
  }
}
