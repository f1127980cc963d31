module {
  tt.func private @leaf(%x: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %y = arith.addi %x, %c0 : i32
    %z = canary.twice %y : i32
    tt.return %z : i32
  }
  tt.func public @kernel(%ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c64 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %splat = tt.splat %start : i32 -> tensor<64xi32>
    %offsets = arith.addi %splat, %range : tensor<64xi32>
    %base = tt.splat %ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %ptrs = tt.addptr %base, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %first = tt.load %ptrs : tensor<64x!tt.ptr<f32>>
    %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %first) -> (tensor<64xf32>) : i32 {
      %next = arith.addf %acc, %first : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    }
    tt.store %ptrs, %sum : tensor<64x!tt.ptr<f32>>
    %m = tt.call @leaf(%n) : (i32) -> i32
    %k = canary.twice %m : i32
    %six = canary.twice %c5 : i32
    %t = canary.touch %k, %six : i32, i32 times 3 -> !canary.tag<4, [1, 2]>
    tt.return
  }
}
