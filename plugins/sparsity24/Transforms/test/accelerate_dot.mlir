// RUN: %plugin_opt --pass sparsity24_accelerate_dot --split-input-file %s | %FileCheck %s

// Every row of the table of instructions, by the layouts that it asks for.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{register = {{\[\[}}8, 0], [0, 4]], lane = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0], [64, 0]], block = []}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
// CHECK: #[[$SHARED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-LABEL: @hopper
// CHECK: ttg.convert_layout %{{.*}} : tensor<128x8xi16, #{{.*}}> -> tensor<128x8xi16, #[[$META]]>
// CHECK: %[[VALUES:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<128x64xf16, #[[$SHARED]], #smem>
// CHECK: %[[B:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<128x256xf16, #[[$SHARED]], #smem>
// CHECK: %[[DOT:.*]] = sparsity24.async_sparse_dot %[[VALUES]], %{{.*}}, %[[B]]
// The wait keeps what the product reads alive.
// CHECK: ttng.warp_group_dot_wait %[[DOT]], %[[VALUES]], %[[B]] {pendings = 0 : i32}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hopper(%values: tensor<128x64xf16, #blocked>, %meta: tensor<128x8xi16, #blocked>, %b: tensor<128x256xf16, #blocked>, %acc: tensor<128x256xf32, #blocked>) -> tensor<128x256xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<128x64xf16, #blocked>, tensor<128x8xi16, #blocked>, tensor<128x256xf16, #blocked> -> tensor<128x256xf32, #blocked>
    tt.return %result : tensor<128x256xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{{{register = .*, lane = \[\[0, 1\], \[0, 2\], \[1, 0\], \[2, 0\], \[4, 0\]\], warp = .*}}}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = {{.*}}, instrShape = [16, 8]}>
// CHECK-LABEL: @hopper_few_rows
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hopper_few_rows(%values: tensor<32x32xf16, #blocked>, %meta: tensor<32x4xi16, #blocked>, %b: tensor<64x64xf16, #blocked>, %acc: tensor<32x64xf32, #blocked>) -> tensor<32x64xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<32x32xf16, #blocked>, tensor<32x4xi16, #blocked>, tensor<64x64xf16, #blocked> -> tensor<32x64xf32, #blocked>
    tt.return %result : tensor<32x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{{{register = .*, lane = \[\[0, 1\], \[0, 2\], \[1, 0\], \[2, 0\], \[4, 0\]\], warp = .*}}}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = {{.*}}, instrShape = [16, 8]}>
// CHECK-LABEL: @hopper_few_warps
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @hopper_few_warps(%values: tensor<64x32xf16, #blocked>, %meta: tensor<64x4xi16, #blocked>, %b: tensor<64x64xf16, #blocked>, %acc: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xf16, #blocked>, tensor<64x4xi16, #blocked>, tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %result : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{{{register = .*, lane = \[\[0, 1\], \[0, 2\], \[1, 0\], \[2, 0\], \[4, 0\]\], warp = .*}}}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = {{.*}}, instrShape = [16, 8]}>
// CHECK-LABEL: @ampere
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ampere(%values: tensor<128x32xf16, #blocked>, %meta: tensor<128x4xi16, #blocked>, %b: tensor<64x128xf16, #blocked>, %acc: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<128x32xf16, #blocked>, tensor<128x4xi16, #blocked>, tensor<64x128xf16, #blocked> -> tensor<128x128xf32, #blocked>
    tt.return %result : tensor<128x128xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{{{register = .*, lane = \[\[0, 1\], \[0, 2\], \[1, 0\], \[2, 0\], \[4, 0\]\], warp = .*}}}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = {{.*}}, instrShape = [16, 8]}>
// CHECK-LABEL: @ampere_half
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ampere_half(%values: tensor<128x32xf16, #blocked>, %meta: tensor<128x4xi16, #blocked>, %b: tensor<64x128xf16, #blocked>, %acc: tensor<128x128xf16, #blocked>) -> tensor<128x128xf16, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<128x32xf16, #blocked>, tensor<128x4xi16, #blocked>, tensor<64x128xf16, #blocked> -> tensor<128x128xf16, #blocked>
    tt.return %result : tensor<128x128xf16, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{{{register = .*, lane = \[\[0, 1\], \[0, 2\], \[1, 0\], \[2, 0\], \[4, 0\]\], warp = .*}}}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = {{.*}}, instrShape = [16, 8]}>
// CHECK-LABEL: @ada
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ada(%values: tensor<64x32xf16, #blocked>, %meta: tensor<64x4xi16, #blocked>, %b: tensor<64x64xf16, #blocked>, %acc: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<64x32xf16, #blocked>, tensor<64x4xi16, #blocked>, tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %result : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{register = {{.*}}, lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 0]], warp
// CHECK: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = {{.*}}, instrShape = [32, 32, 8], isTransposed = false}>
// CHECK-LABEL: @mi300
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 4}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MFMA]], kWidth = 8}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @mi300(%values: tensor<128x32xf16, #blocked>, %meta: tensor<128x4xi16, #blocked>, %b: tensor<64x128xf16, #blocked>, %acc: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<128x32xf16, #blocked>, tensor<128x4xi16, #blocked>, tensor<64x128xf16, #blocked> -> tensor<128x128xf32, #blocked>
    tt.return %result : tensor<128x128xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{register = {{.*}}, lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 1]], warp
// CHECK: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = {{.*}}, instrShape = [16, 16, 16], isTransposed = false}>
// CHECK-LABEL: @mi300_few_rows
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 4}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MFMA]], kWidth = 8}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @mi300_few_rows(%values: tensor<16x32xf16, #blocked>, %meta: tensor<16x4xi16, #blocked>, %b: tensor<64x64xf16, #blocked>, %acc: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<16x32xf16, #blocked>, tensor<16x4xi16, #blocked>, tensor<64x64xf16, #blocked> -> tensor<16x64xf32, #blocked>
    tt.return %result : tensor<16x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{register = {{.*}}, lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp
// CHECK: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = {{.*}}, instrShape = [32, 32, 16], isTransposed = false}>
// CHECK-LABEL: @mi350
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 8}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MFMA]], kWidth = 8}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @mi350(%values: tensor<128x32xf16, #blocked>, %meta: tensor<128x4xi16, #blocked>, %b: tensor<64x128xf16, #blocked>, %acc: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<128x32xf16, #blocked>, tensor<128x4xi16, #blocked>, tensor<64x128xf16, #blocked> -> tensor<128x128xf32, #blocked>
    tt.return %result : tensor<128x128xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{register = {{.*}}, lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp
// CHECK: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = {{.*}}, instrShape = [16, 16, 32], isTransposed = false}>
// CHECK-LABEL: @mi350_few_rows
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 8}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MFMA]], kWidth = 8}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @mi350_few_rows(%values: tensor<16x32xf16, #blocked>, %meta: tensor<16x4xi16, #blocked>, %b: tensor<64x64xf16, #blocked>, %acc: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<16x32xf16, #blocked>, tensor<16x4xi16, #blocked>, tensor<64x64xf16, #blocked> -> tensor<16x64xf32, #blocked>
    tt.return %result : tensor<16x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$META:.*]] = #ttg.linear<{register = {{.*}}, lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 1]], warp
// CHECK: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = {{.*}}, instrShape = [16, 16, 16], isTransposed = false}>
// CHECK-LABEL: @mi350_short
// CHECK: sparsity24.sparse_dot %{{.*}} : tensor<{{.*}}, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 4}>>, tensor<{{.*}}, #[[$META]]>, tensor<{{.*}}, #ttg.dot_op<{opIdx = 1, parent = #[[$MFMA]], kWidth = 8}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @mi350_short(%values: tensor<16x16xf16, #blocked>, %meta: tensor<16x2xi16, #blocked>, %b: tensor<32x64xf16, #blocked>, %acc: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
    %result = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<16x16xf16, #blocked>, tensor<16x2xi16, #blocked>, tensor<32x64xf16, #blocked> -> tensor<16x64xf32, #blocked>
    tt.return %result : tensor<16x64xf32, #blocked>
  }
}
