// RUN: %plugin_opt --pass tlx_lower_tasks --split-input-file --expect-failure %s | %FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK: a task uses a tensor that is made outside of it, in the registers of other warps; store it in a buffer
// CHECK: note: the tensor is 'tensor<128xf32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @tensor(%p: tensor<128x!tt.ptr<f32>, #blocked>, %buffer: !tlx.buffer<128xf32>) {
    %value = tt.load %p : tensor<128x!tt.ptr<f32>, #blocked>
    tlx.async_tasks {
      tlx.async_task num_warps(4) {
        tlx.local_store %value, %buffer : tensor<128xf32, #blocked> -> !tlx.buffer<128xf32>
      }
    }
    tt.return
  }
}

// -----

// CHECK: the tasks take 40 warps, but a CTA has at most 32: 4 of the kernel (num_warps) + 16 + 16 + 1, rounded up to whole groups of 4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @warps() {
    tlx.async_tasks {
      tlx.async_task num_warps(1) {}
      tlx.async_task num_warps(16) {}
      tlx.async_task num_warps(16) {}
    }
    tt.return
  }
}

// -----

// Four warps share what one of them asks for; the kernel's limit counts.
// CHECK: the tasks ask for more registers than the kernel has:
// CHECK-NEXT: default task 4 warps * 32 * 24 = 3072
// CHECK-NEXT: warps 4 to 7 4 warps * 32 * 240 = 30720
// CHECK-NEXT: asked for in all 33792
// CHECK-NEXT: the kernel has 32768 (8 warps * 32 * 128)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.maxnreg = 128 : i32} {
  tt.func @registers() {
    tlx.async_tasks {
      tlx.async_task num_warps(1) registers(240) {}
      tlx.async_task num_warps(2) registers(24) {}
    }
    tt.return
  }
}

// -----

// CHECK: asks for warps from 4 on, but is given 8; tasks are placed behind the default task without gaps
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @places() {
    tlx.async_tasks {
      tlx.async_task num_warps(1) first_warp(4) {}
      tlx.async_task num_warps(4) {}
    }
    tt.return
  }
}

// -----

// CHECK: tasks cannot have tasks of their own
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @nested() {
    tlx.async_tasks {
      tlx.async_task num_warps(1) {
        tlx.async_tasks {
          tlx.async_task num_warps(1) {}
        }
      }
    }
    tt.return
  }
}

// -----

// CHECK: is the second default task; there can be one
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @defaults() {
    tlx.async_tasks {
      tlx.async_task default {}
      tlx.async_task default {}
    }
    tt.return
  }
}

// -----

// CHECK: a task must stand directly in a `with tlx.async_tasks()` block
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @alone() {
    tlx.async_task default {}
    tt.return
  }
}

// -----

// CHECK: stands between tasks; move it into a task
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @between(%p: !tt.ptr<f32>) {
    tlx.async_tasks {
      %value = tt.load %p : !tt.ptr<f32>
      tlx.async_task default {}
    }
    tt.return
  }
}
