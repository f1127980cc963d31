// RUN: %plugin_opt --pass tlx_check_named_barriers %s | %FileCheck %s

// Of the seventh partition's barrier nobody knows: one warp needs none.
// CHECK-LABEL: @one_warp
// CHECK-COUNT-3: tt.elementwise_inline_asm
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @one_warp(%any: i32) {
    %threads = arith.constant 64 : i32
    %eight = arith.constant 8 : i32
    %nine = arith.constant 9 : i32
    %0 = tt.elementwise_inline_asm "bar.sync $1, $2; mov.u32 $0, 0;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = false} %eight, %threads : i32, i32 -> i32
    %1 = tt.elementwise_inline_asm "bar.sync $1, $2; mov.u32 $0, 0;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = false} %any, %threads : i32, i32 -> i32
    // An ordinary instruction that begins with the same number.
    %2 = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = false} %nine, %threads : i32, i32 -> i32
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(2) { ttg.warp_return }
    partition1() num_warps(2) { ttg.warp_return }
    partition2() num_warps(2) { ttg.warp_return }
    partition3() num_warps(2) { ttg.warp_return }
    partition4() num_warps(2) { ttg.warp_return }
    partition5() num_warps(2) { ttg.warp_return }
    partition6() num_warps(1) { ttg.warp_return }
    partition7() num_warps(2) { ttg.warp_return } : () -> ()
    tt.return
  }
}
