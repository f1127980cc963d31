// RUN: %plugin_opt --pass warp_spec_mark_loops --expect-failure %s | %FileCheck %s

// CHECK: no loop follows warp_spec.range; write it as `for i in warp_spec.range(...)`
tt.func @no_loop(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
  }
  warp_spec.mark_loop
  tt.return
}
