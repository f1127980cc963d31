"""What kernels with sparse products compile to, on every architecture, and what wrong ones are
told."""

import inspect
import re

import pytest
import triton

import triton_plugins
from plugins.sparsity24.test import kernels as test_kernels
from triton_plugins.machine_code import inspect as inspect_code
from triton_plugins.sparsity24 import gemm_kernels, kernels

HOPPER, AMPERE, ADA, MI300, MI350 = "cuda:90", "cuda:80", "cuda:89", "hip:gfx942", "hip:gfx950"


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target, signature, *, warps=4, **constexprs):
    return triton_plugins.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=target,
        options={"num_warps": warps},
    )


def one_dot(target, m, n, k, *, dtype="fp16", out="fp32", warps=4):
    signature = {
        "values_ptr": f"*{dtype}:16",
        "meta_ptr": "*i16:16",
        "b_ptr": f"*{dtype}:16",
        "c_ptr": f"*{out}:16",
    }
    return compile(test_kernels.one_dot, target, signature, warps=warps, M=m, N=n, K=k)


def instructions(compiled):
    """Every sparse instruction of the PTX or AMDGCN, with its count."""
    text = compiled.asm["ptx"] if "ptx" in compiled.asm else compiled.asm["amdgcn"]
    found = re.findall(r"wgmma\.mma_async\.sp\S*|mma\.sp\S*|v_smfmac\w+", text)
    return {name: found.count(name) for name in found}


@pytest.mark.parametrize(
    ("target", "m", "n", "k", "dtype", "out", "warps", "instruction", "count"),
    [
        (HOPPER, 64, 64, 64, "fp16", "fp32", 4,
         "wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16", 2),
        (HOPPER, 128, 256, 128, "bf16", "fp32", 8,
         "wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.bf16.bf16", 4),
        (HOPPER, 64, 16, 32, "fp16", "fp16", 4,
         "wgmma.mma_async.sp.sync.aligned.m64n16k32.f16.f16.f16", 1),
        (HOPPER, 16, 16, 32, "fp16", "fp32", 1,
         "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 2),
        (AMPERE, 64, 64, 64, "bf16", "fp32", 4,
         "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 16),
        (ADA, 64, 64, 64, "fp16", "fp16", 4,
         "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", 16),
        (MI300, 64, 64, 32, "fp16", "fp32", 4, "v_smfmac_f32_32x32x16_f16", 2),
        (MI300, 64, 64, 32, "bf16", "fp32", 4, "v_smfmac_f32_32x32x16_bf16", 2),
        (MI300, 16, 16, 32, "fp16", "fp32", 1, "v_smfmac_f32_16x16x32_f16", 1),
        (MI300, 16, 16, 32, "bf16", "fp32", 1, "v_smfmac_f32_16x16x32_bf16", 1),
        (MI350, 64, 64, 64, "fp16", "fp32", 4, "v_smfmac_f32_32x32x32_f16", 2),
        (MI350, 64, 64, 64, "bf16", "fp32", 4, "v_smfmac_f32_32x32x32_bf16", 2),
        (MI350, 16, 16, 64, "fp16", "fp32", 1, "v_smfmac_f32_16x16x64_f16", 1),
        (MI350, 16, 16, 64, "bf16", "fp32", 1, "v_smfmac_f32_16x16x64_bf16", 1),
        (MI350, 16, 16, 32, "fp16", "fp32", 1, "v_smfmac_f32_16x16x32_f16", 1),
    ],
)  # fmt: skip
def test_instruction_of_every_architecture(target, m, n, k, dtype, out, warps, instruction, count):
    compiled = one_dot(target, m, n, k, dtype=dtype, out=out, warps=warps)
    assert instructions(compiled) == {instruction: count}


@pytest.mark.parametrize("warps", [4, 8])
def test_products_on_hopper_wait_for_their_operands(warps):
    ptx = one_dot(HOPPER, 128, 64, 64, out="fp16", warps=warps).asm["ptx"]
    product = ptx.index("wgmma.mma_async.sp")
    # Threads write the operands: all of them have to, and the asynchronous proxy has to see it.
    written = ptx.rindex("st.shared", 0, product)
    assert written < ptx.rindex("fence.proxy.async", 0, product)
    assert written < ptx.rindex("bar.sync", 0, product)
    # The memory is used again for the result, and the hardware reads until the wait ends.
    after = ptx.index("wgmma.wait_group", product)
    assert after < ptx.index("bar.sync", product) < ptx.index("st.shared", product)


@pytest.mark.parametrize("b_by_columns", [False, True])
@pytest.mark.parametrize("c_by_columns", [False, True])
def test_gemm_on_hopper(b_by_columns, c_by_columns):
    config = gemm_kernels.TMA_CONFIG
    bm, bn, bk = config["BM"], config["BN"], config["BK"]
    signature = {
        "values_desc": f"tensordesc<fp16[{bm},{bk // 2}]>",
        "words_desc": f"tensordesc<i16[{bk // 16},{bm}]>",
        "b_desc": f"tensordesc<fp16[{f'{bn},{bk}' if b_by_columns else f'{bk},{bn}'}]>",
        "c_desc": f"tensordesc<fp16[{f'{bn // 2},{bm}' if c_by_columns else f'{bm},{bn // 2}'}]>",
        "M": "i32",
        "N": "i32",
        "K": "i32",
    }
    compiled = compile(
        gemm_kernels.sparse_gemm_tma,
        HOPPER,
        signature,
        warps=8,
        B_BY_COLUMNS=b_by_columns,
        C_BY_COLUMNS=c_by_columns,
        **config,
    )
    ptx, ttgir = compiled.asm["ptx"], compiled.asm["ttgir"]
    # Two steps in the loop, one in the loop of an odd step; no operand passes through registers
    # but metadata.
    assert sum(instructions(compiled).values()) == 3 * bk // 32
    assert "cp.async.bulk.tensor" in ptx
    # A product runs while the one before is awaited and its memory is refilled.
    main, odd = re.split(r"scf\.for", ttgir)[-2:]
    order = ["async_sparse_dot", "pendings = 1", *["async_tma_copy_global_to_local"] * 3]
    loop = re.findall("|".join(set(order)), main)
    assert loop[: 2 * len(order)] == order * 2
    assert main.count("wait_barrier") == 2
    assert odd.count("async_sparse_dot") == 1
    assert "pendings = 1" not in odd
    assert "ttg.convert_layout" not in main
    assert inspect_code(compiled).resources.spills == 0
    # What an H100 and an H200 let a program have.
    assert compiled.metadata.shared <= 232448


@pytest.mark.parametrize("target", [AMPERE, ADA, HOPPER, MI300, MI350])
def test_gemm_by_pointers(target):
    signature = {
        "values_ptr": "*fp16:16",
        "words_ptr": "*i16:16",
        "b_ptr": "*fp16:16",
        "c_ptr": "*fp16:16",
        **dict.fromkeys(["M", "N", "K", "stride_word", "stride_bk", "stride_cm"], "i32:16"),
    }
    constants = gemm_kernels.POINTER_CONFIG | {"stride_bn": 1, "stride_cn": 1}
    compiled = compile(gemm_kernels.sparse_gemm_pointers, target, signature, warps=8, **constants)
    assert instructions(compiled)
    if target in (AMPERE, ADA):
        assert "cp.async.cg.shared.global" in compiled.asm["ptx"]
    assert inspect_code(compiled).resources.spills == 0


MATRIX = {"M": "i32", "K": "i32:16", "stride_m": "i32:16"}


@pytest.mark.parametrize("target", [HOPPER, AMPERE, MI300])
def test_kernels_on_whole_matrices(target):
    one = {"stride_k": 1, "BM": 32, "BK": 128}
    bits = MATRIX | {"dense_ptr": "*i16:16"}
    compile(kernels.find_dense, target, bits | {"found_ptr": "*i64"}, **one)
    compile(kernels.prune, target, bits | {"pruned_ptr": "*i16:16"}, **one)
    compile(
        kernels.find_nibble, target, MATRIX | {"meta_ptr": "*i16:16", "found_ptr": "*i64"}, **one
    )
    halves = MATRIX | {"dense_ptr": "*bf16:16", "values_ptr": "*bf16:16", "meta_ptr": "*i16:16"}
    compile(kernels.compress, target, halves | {"stride_word": "i32:16"}, **one)
    compile(
        kernels.decompress,
        target,
        halves | {"meta_stride_m": "i32:16", "meta_stride_k": "i32:16"},
        **one,
    )


def test_wrong_shapes_name_the_line():
    signature = {
        "values_ptr": "*fp16:16", "meta_ptr": "*i16:16", "b_ptr": "*fp16:16", "c_ptr": "*fp32:16",
    }  # fmt: skip
    with pytest.raises(triton.CompilationError) as caught:
        compile(test_kernels.bad_meta, HOPPER, signature)
    error = caught.value.__cause__
    assert isinstance(error, triton_plugins.OpError)
    assert "these values need meta of shape [64, 4]" in str(error)
    lines, start = inspect.getsourcelines(test_kernels.bad_meta.fn)
    line = start + next(i for i, text in enumerate(lines) if "sp.dot(" in text)
    assert f"kernels.py:{line}" in str(error)


def test_what_an_architecture_cannot_do():
    with pytest.raises(triton_plugins.PassError, match=r"cuda:75 has no sparse matrix instruction"):
        one_dot("cuda:75", 64, 64, 64)


def test_machine_code_that_writes_metadata_in_use_is_refused(monkeypatch):
    sass = """
.text.one_dot:
        /*0000*/   HGMMA.SP.64x16x32.F32 R24, gdesc[UR4], R24, R152, 0x0, gsb0 ;
        /*0010*/   MOV R152, R3 ;
"""
    monkeypatch.setattr(triton_plugins.machine_code, "disassemble", lambda cubin: sass)
    with pytest.raises(RuntimeError, match="MOV R152, R3 at 0x0010"):
        one_dot(HOPPER, 64, 16, 32)
