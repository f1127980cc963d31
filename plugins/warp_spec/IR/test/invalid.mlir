// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: a channel needs a stage
tt.func @no_stage() {
  %0 = warp_spec.create_channel : !warp_spec.channel<0>
  tt.return
}

// -----

// CHECK: 'warp_spec.create_channel' op counts no bytes
tt.func @no_bytes() {
  %0 = warp_spec.create_channel {bytes = 0 : i32} : !warp_spec.channel<2>
  tt.return
}

// -----

// CHECK: 'warp_spec.release' op gives back the stage of the iteration before
tt.func @no_loop(%channel: !warp_spec.channel<2>) {
  warp_spec.release %channel {delayed} : !warp_spec.channel<2>
  tt.return
}

// -----

// CHECK: 'warp_spec.release' op holds two stages at once
tt.func @one_stage(%channel: !warp_spec.channel<1>, %n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    warp_spec.release %channel {delayed} : !warp_spec.channel<1>
  }
  tt.return
}
