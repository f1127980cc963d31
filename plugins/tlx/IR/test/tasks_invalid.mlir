// RUN: %plugin_opt --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: 'tlx.async_task' op needs num_warps
tlx.async_task {}

// -----

// CHECK: is the default task, which runs on the kernel's own warps, but has a number of warps
tlx.async_task default num_warps(4) {}

// -----

// CHECK: runs on 3 warps, but num_warps must be 1, 2, 4, 8, 16 or 32
tlx.async_task num_warps(3) {}

// -----

// CHECK: asks for 20 registers a thread, but setmaxnreg takes 24 to 256
tlx.async_task num_warps(4) registers(20) {}
