// RUN: %plugin_opt %s | %plugin_opt - | %FileCheck %s

// CHECK-LABEL: @ops
tt.func @ops(%any: i1) {
  // CHECK: warp_spec.mark_loop
  warp_spec.mark_loop
  // CHECK: %[[CHANNEL:.*]] = warp_spec.create_channel {bytes = 64 : i32} : <3>
  %channel = warp_spec.create_channel {bytes = 64 : i32} : !warp_spec.channel<3>
  // CHECK: warp_spec.acquire %[[CHANNEL]] : <3>
  %empty = warp_spec.acquire %channel : !warp_spec.channel<3>
  // CHECK: warp_spec.publish %[[CHANNEL]] : <3>
  warp_spec.publish %channel : !warp_spec.channel<3>
  // CHECK: warp_spec.receive %[[CHANNEL]] : <3>
  %full = warp_spec.receive %channel : !warp_spec.channel<3>
  // CHECK: warp_spec.release %[[CHANNEL]] : <3>
  warp_spec.release %channel : !warp_spec.channel<3>
  // CHECK: warp_spec.release_last %[[CHANNEL]] if %{{.*}} : <3>
  warp_spec.release_last %channel if %any : !warp_spec.channel<3>
  tt.return
}
