"""The grouped Hopper GEMM without a GPU: its machine code."""

import pytest
import triton.language as tl
from triton.backends.compiler import GPUTarget

import triton_plugins
from examples.hopper_gemm_configs import SHARED_BYTES
from examples.hopper_grouped_gemm_kernel import CONSTANTS, OPTIONS, hopper_grouped_gemm
from triton_plugins import machine_code


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16], ids=str)
def test_machine_code(dtype):
    kernel = triton_plugins.compile(
        hopper_grouped_gemm,
        signature={"table_ptr": "*i64:16", "groups": "i32"},
        constexprs=CONSTANTS | {"DTYPE": dtype},
        target=GPUTarget("cuda", 90, 32),
        options=OPTIONS,
    )
    code = machine_code.inspect(kernel)
    # Descriptors of A and B for the producer, and of C for each of two consumers.
    assert kernel.asm["ttgir"].count("ttng.tensormap_create") == 4
    assert set(code.ptx.waits["wgmma"]) == {0, 1}
    assert code.sass.count(rf"HGMMA\.64x{CONSTANTS['BN']}x16\..*") > 0
    assert code.sass.count(r"UTMALDG\..*") > 0
    assert code.sass.count(r"UTMASTG\..*") > 0
    assert code.sass.count(r"(LDL|STL)\b.*") == 0
    assert code.resources.spills == code.resources.stack_bytes == 0
    assert code.resources.shared_bytes <= SHARED_BYTES
