// RUN: %plugin_opt --pass tlx_check_named_barriers --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: error: named barrier 8 is the one at which threads of task 7 wait for each other; use one from 9 to 15
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @seven_tasks() {
    %threads = arith.constant 64 : i32
    %barrier = arith.constant 8 : i32
    %0 = tt.elementwise_inline_asm "bar.arrive $1, $2; mov.u32 $0, 0;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = false} %barrier, %threads : i32, i32 -> i32
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
    partition6() num_warps(2) { ttg.warp_return } : () -> ()
    tt.return
  }
}

// -----

// CHECK: error: named barrier 15 is the one at which threads of task 14 wait for each other; with so many tasks all are taken: use fewer, or barriers in memory (alloc_warp_barrier)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @all_taken() {
    ttg.warp_specialize()
    default {
      %threads = arith.constant 64 : i32
      %barrier = arith.constant 15 : i32
      %0 = tt.elementwise_inline_asm "bar.sync $1, $2; mov.u32 $0, 0;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = false} %barrier, %threads : i32, i32 -> i32
      ttg.warp_yield
    }
    partition0() num_warps(1) { ttg.warp_return }
    partition1() num_warps(1) { ttg.warp_return }
    partition2() num_warps(1) { ttg.warp_return }
    partition3() num_warps(1) { ttg.warp_return }
    partition4() num_warps(1) { ttg.warp_return }
    partition5() num_warps(1) { ttg.warp_return }
    partition6() num_warps(1) { ttg.warp_return }
    partition7() num_warps(1) { ttg.warp_return }
    partition8() num_warps(1) { ttg.warp_return }
    partition9() num_warps(1) { ttg.warp_return }
    partition10() num_warps(1) { ttg.warp_return }
    partition11() num_warps(1) { ttg.warp_return }
    partition12() num_warps(1) { ttg.warp_return }
    partition13() num_warps(2) { ttg.warp_return } : () -> ()
    tt.return
  }
}
