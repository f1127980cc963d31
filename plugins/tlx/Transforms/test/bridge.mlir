// RUN: %plugin_opt --pass tlx_enter_ttgpuir %s | %FileCheck %s --check-prefix=ENTER
// RUN: %plugin_opt --pass tlx_enter_ttgpuir --pass tlx_exit_ttgpuir %s | %FileCheck %s --check-prefix=EXIT
// RUN: %plugin_opt --pass tlx_enter_ttgpuir --pass ttir.convert_to_ttgpuir=cuda:90,4,32,1 --pass tlx_exit_ttgpuir %s | %FileCheck %s --check-prefix=TTGPU

// ENTER-DAG: tt.func private @tlx.bridge.0(!tlx.buffer<128x64xf16>) -> tensor<128x64xf16>
// ENTER-DAG: tt.func private @tlx.bridge.1(tensor<128x64xf16>, !tlx.buffer<128x64xf16>)

// Ops without tensors stay; the others become calls and lose nothing on the way.
// ENTER-LABEL: @kernel
// ENTER: tlx.local_alloc
// ENTER: tlx.local_view
// ENTER: tt.call @tlx.bridge.0({{.*}}) {triton_plugin.bridge_attributes = {mark = 1 : i32}, triton_plugin.bridge_op = "tlx.local_load"}
// ENTER: tt.call @tlx.bridge.1
// ENTER-NOT: = tlx.local_

// EXIT-NOT: bridge
// EXIT-LABEL: @kernel
// EXIT: tlx.local_load %{{.*}} {mark = 1 : i32} : <128x64xf16> -> tensor<128x64xf16>
// EXIT: tlx.local_store %{{.*}}, %{{.*}} : tensor<128x64xf16> -> <128x64xf16>
// EXIT-NOT: bridge

// TTGPU: tlx.local_load %{{.*}} {mark = 1 : i32} : <128x64xf16> -> tensor<128x64xf16, #blocked>
// TTGPU: tlx.local_store %{{.*}}, %{{.*}} : tensor<128x64xf16, #blocked> -> <128x64xf16>
tt.func @kernel(%index: i32) {
  %buffers = tlx.local_alloc : !tlx.buffer<3x128x64xf16>
  %view = tlx.local_view %buffers[%index] : !tlx.buffer<3x128x64xf16> -> !tlx.buffer<128x64xf16>
  %value = tlx.local_load %view {mark = 1 : i32} : !tlx.buffer<128x64xf16> -> tensor<128x64xf16>
  tlx.local_store %value, %view : tensor<128x64xf16> -> !tlx.buffer<128x64xf16>
  tt.return
}
