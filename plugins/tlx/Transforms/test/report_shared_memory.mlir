// RUN: %plugin_opt --pass tlx_report_shared_memory --split-input-file %s | %FileCheck %s

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#padded = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>

// CHECK: module attributes {{.*}}tlx.shared_memory_limit = 232448 : i32, tlx.shared_memory_report = "
// CHECK-SAME: \0A 0 262144 a (kernel.py:7)
// CHECK-SAME: \0A 262144 18400 b (kernel.py:9)"
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 280544 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @too_much() {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<4x128x128xf32, #shared, #ttg.shared_memory, mutable> loc("a"("kernel.py":7:0))
    %b = ttg.local_alloc {allocation.offset = 262144 : i32} : () -> !ttg.memdesc<1x64x64xf32, #padded, #ttg.shared_memory, mutable> loc("b"("kernel.py":9:0))
    tt.return
  }
}

// -----

// CHECK-NOT: tlx.shared_memory
// CHECK: @enough
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 65536 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @enough() {
    tt.return
  }
}
