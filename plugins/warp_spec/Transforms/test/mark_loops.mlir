// RUN: %plugin_opt --pass warp_spec_mark_loops %s | %FileCheck %s

// CHECK-LABEL: @marked
// CHECK-NOT: warp_spec.mark_loop
tt.func @marked(%n: i32) {
  warp_spec.mark_loop
  %c0 = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %n : i32 {
  }
  // CHECK: warp_spec.loop
  tt.return
}

// CHECK-LABEL: @by_stock_mark
tt.func @by_stock_mark(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
  } {tt.warp_specialize}
  // CHECK: {warp_spec.loop}
  tt.return
}
