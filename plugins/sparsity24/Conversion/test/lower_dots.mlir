// RUN: %plugin_opt --pass sparsity24_lower_dots --pass common.canonicalizer --split-input-file %s | %FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
// CHECK-LABEL: @mma
// CHECK: %[[A:.*]] = llvm.extractvalue %arg0[0]
// Rows 0 and 8 share a register of metadata.
// CHECK: %[[LOW:.*]] = llvm.extractvalue %arg1[0]
// CHECK: %[[HIGH:.*]] = llvm.extractvalue %arg1[1]
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, {$12, $13, $14, $15}, {$0, $1, $2, $3}, $16, 0;", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r,r,r,r"
// CHECK-NOT: sparsity24
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  llvm.func @mma(%arg0: !llvm.struct<(f16, f16, f16, f16, f16, f16, f16, f16)>, %arg1: !llvm.struct<(i16, i16)>, %arg2: !llvm.struct<(f16, f16, f16, f16, f16, f16, f16, f16)>, %arg3: !llvm.struct<(f32, f32, f32, f32)>) -> !llvm.struct<(f32, f32, f32, f32)> {
    %values = builtin.unrealized_conversion_cast %arg0 : !llvm.struct<(f16, f16, f16, f16, f16, f16, f16, f16)> to tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %meta = builtin.unrealized_conversion_cast %arg1 : !llvm.struct<(i16, i16)> to tensor<16x2xi16, #meta>
    %b = builtin.unrealized_conversion_cast %arg2 : !llvm.struct<(f16, f16, f16, f16, f16, f16, f16, f16)> to tensor<32x8xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %acc = builtin.unrealized_conversion_cast %arg3 : !llvm.struct<(f32, f32, f32, f32)> to tensor<16x8xf32, #mma>
    %product = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, tensor<16x2xi16, #meta>, tensor<32x8xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x8xf32, #mma>
    %result = builtin.unrealized_conversion_cast %product : tensor<16x8xf32, #mma> to !llvm.struct<(f32, f32, f32, f32)>
    llvm.return %result : !llvm.struct<(f32, f32, f32, f32)>
  }
}

// -----

#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = false}>
#meta = #ttg.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0], [0, 1]], warp = [], block = []}>
// CHECK-LABEL: @smfmac
// Two lanes share a word of metadata; the second one's nibbles are the upper byte.
// CHECK: %[[WORD:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: %[[THREAD:.*]] = rocdl.workitem.id.x
// CHECK: %[[BIT:.*]] = llvm.and %[[THREAD]], %{{.*}}
// CHECK: %[[SHIFT:.*]] = llvm.lshr %[[BIT]], %{{.*}}
// CHECK: %[[NIBBLES:.*]] = llvm.lshr %[[WORD]], %[[SHIFT]]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.smfmac.f32.16x16x32.bf16"(%{{.*}}, %{{.*}}, %{{.*}}, %[[NIBBLES]], %[[ZERO:.*]], %[[ZERO]]) : (vector<4xi16>, vector<8xi16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
// CHECK-NOT: sparsity24
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  llvm.func @smfmac(%arg0: !llvm.struct<(bf16, bf16, bf16, bf16)>, %arg1: !llvm.struct<(i16)>, %arg2: !llvm.struct<(bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16)>, %arg3: !llvm.struct<(f32, f32, f32, f32)>) -> !llvm.struct<(f32, f32, f32, f32)> {
    %values = builtin.unrealized_conversion_cast %arg0 : !llvm.struct<(bf16, bf16, bf16, bf16)> to tensor<16x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 4}>>
    %meta = builtin.unrealized_conversion_cast %arg1 : !llvm.struct<(i16)> to tensor<16x2xi16, #meta>
    %b = builtin.unrealized_conversion_cast %arg2 : !llvm.struct<(bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16)> to tensor<32x16xbf16, #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>>
    %acc = builtin.unrealized_conversion_cast %arg3 : !llvm.struct<(f32, f32, f32, f32)> to tensor<16x16xf32, #mfma>
    %product = sparsity24.sparse_dot %values, %meta, %b, %acc : tensor<16x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 4}>>, tensor<16x2xi16, #meta>, tensor<32x16xbf16, #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>> -> tensor<16x16xf32, #mfma>
    %result = builtin.unrealized_conversion_cast %product : tensor<16x16xf32, #mfma> to !llvm.struct<(f32, f32, f32, f32)>
    llvm.return %result : !llvm.struct<(f32, f32, f32, f32)>
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// CHECK-LABEL: @wgmma
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, $18, 0, p, 1, 1, 0, 1; }", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,r"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NOT: sparsity24
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  llvm.func @wgmma(%arg0: !llvm.struct<(ptr<3>, i32, i32)>, %arg1: !llvm.struct<(i16, i16)>, %arg2: !llvm.struct<(ptr<3>, i32, i32)>, %arg3: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)> {
    %values = builtin.unrealized_conversion_cast %arg0 : !llvm.struct<(ptr<3>, i32, i32)> to !ttg.memdesc<64x16xf16, #shared, #smem>
    %meta = builtin.unrealized_conversion_cast %arg1 : !llvm.struct<(i16, i16)> to tensor<64x2xi16, #meta>
    %b = builtin.unrealized_conversion_cast %arg2 : !llvm.struct<(ptr<3>, i32, i32)> to !ttg.memdesc<32x16xf16, #shared, #smem>
    %acc = builtin.unrealized_conversion_cast %arg3 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)> to tensor<64x16xf32, #mma>
    %product = sparsity24.async_sparse_dot %values, %meta, %b, %acc : !ttg.memdesc<64x16xf16, #shared, #smem>, tensor<64x2xi16, #meta>, !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<64x16xf32, #mma>
    %result = builtin.unrealized_conversion_cast %product : tensor<64x16xf32, #mma> to !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
    llvm.return %result : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#meta = #ttg.linear<{register = [[8, 0]], lane = [[0, 1], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#registers = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// CHECK-LABEL: @held
// CHECK: %[[ILLEGAL:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: %[[PREVIOUS:.*]] = llvm.extractvalue %arg4[0]
// CHECK: %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<2xi16> to i32
// CHECK: %[[IS_ILLEGAL:.*]] = llvm.icmp "eq" %[[WORDS]], %[[ILLEGAL]]
// CHECK: %[[META:.*]] = llvm.select %[[IS_ILLEGAL]], %[[PREVIOUS]], %[[WORDS]]
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "{{.*}}wgmma.mma_async.sp{{.*}}"{{.*}} %[[META]] :
// CHECK-NOT: sparsity24
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  llvm.func @held(%arg0: !llvm.struct<(ptr<3>, i32, i32)>, %arg1: !llvm.struct<(i16, i16)>, %arg2: !llvm.struct<(ptr<3>, i32, i32)>, %arg3: !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>, %arg4: !llvm.struct<(i32)>) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)> {
    %values = builtin.unrealized_conversion_cast %arg0 : !llvm.struct<(ptr<3>, i32, i32)> to !ttg.memdesc<64x16xf16, #shared, #smem>
    %meta = builtin.unrealized_conversion_cast %arg1 : !llvm.struct<(i16, i16)> to tensor<64x2xi16, #meta>
    %b = builtin.unrealized_conversion_cast %arg2 : !llvm.struct<(ptr<3>, i32, i32)> to !ttg.memdesc<32x16xf16, #shared, #smem>
    %acc = builtin.unrealized_conversion_cast %arg3 : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)> to tensor<64x16xf32, #mma>
    %previous = builtin.unrealized_conversion_cast %arg4 : !llvm.struct<(i32)> to tensor<128x1xi32, #registers>
    %held = sparsity24.hold_meta %meta, %previous : tensor<64x2xi16, #meta>, tensor<128x1xi32, #registers>
    %product = sparsity24.async_sparse_dot %values, %held, %b, %acc : !ttg.memdesc<64x16xf16, #shared, #smem>, tensor<128x1xi32, #registers>, !ttg.memdesc<32x16xf16, #shared, #smem> -> tensor<64x16xf32, #mma>
    %result = builtin.unrealized_conversion_cast %product : tensor<64x16xf32, #mma> to !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
    llvm.return %result : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
  }
}
