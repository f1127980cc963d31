"""What is told about loops that cannot be specialized."""

import pytest

import triton_plugins
import triton_plugins.warp_spec as warp_spec
from plugins.warp_spec.test import kernels, refused_kernels
from triton_plugins.errors import PassError


def compile_strictly(kernel, constexprs, **options):
    names = [name for name in kernel.arg_names if name not in constexprs]
    signature = {name: "*fp16:16" if name.endswith("_ptr") else "i32:16" for name in names}
    return triton_plugins.compile(
        warp_spec.specialize(kernel, strict=True),
        signature=signature,
        constexprs=constexprs,
        target="cuda:90",
        options={"num_warps": 4} | options,
    )


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (refused_kernels.under_a_condition, "its loads are under a condition or in a further loop"),
        (refused_kernels.volatile, r"a load is volatile \(.*refused_kernels.py:\d+\)"),
        (
            refused_kernels.every_other_element,
            r"a thread can't copy 4 bytes or more at once for the load at .*refused_kernels.py",
        ),
        (
            refused_kernels.descriptor_in_the_loop,
            "a descriptor that it loads through is made in it",
        ),
        (
            refused_kernels.two_loops,
            r"the loop at .*refused_kernels.py:\d+, which has the same warps, is specialized",
        ),
    ],
)
def test_reasons(kernel, reason):
    with pytest.raises(PassError, match=f"can't be specialized: {reason}"):
        compile_strictly(kernel, {"B": 64})


@pytest.mark.parametrize(
    ("blocks", "options", "reason"),
    [
        ((64, 64, 64), {"num_ctas": 2}, r"the kernel has clusters \(num_ctas > 1\)"),
        ((256, 128, 64), {"num_warps": 16}, "the kernel has 16 warps; one or two groups of four"),
        ((256, 256, 128), {"num_warps": 8}, "two stages of 131072 bytes .* exceed the 232448"),
    ],
)
def test_reasons_of_options(blocks, options, reason):
    with pytest.raises(PassError, match=f"can't be specialized: {reason}"):
        compile_strictly(
            kernels.pointer_gemm, dict(zip(("BM", "BN", "BK"), blocks, strict=True)), **options
        )
