// RUN: %plugin_opt --pass tlx_to_llvm --split-input-file --expect-failure %s | %FileCheck %s

// CHECK: is no copy through a descriptor, but made of one to several blocks
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  llvm.func @no_copy(%predicate: i1, %targets: i32) -> i32 {
    %copies = tlx.multicast %predicate to %targets
    %word = llvm.zext %copies : i1 to i32
    llvm.return %word : i32
  }
}

// -----

// CHECK: is an unknown form of copy: cp.async.bulk.tensor.of.another.version
module attributes {tlx.cluster_size = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  llvm.func @another_version(%predicate: i1, %targets: i32) {
    %copies = tlx.multicast %predicate to %targets
    llvm.inline_asm has_side_effects "cp.async.bulk.tensor.of.another.version;", "b" %copies : (i1) -> ()
    llvm.return
  }
}
