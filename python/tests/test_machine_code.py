"""The summary of machine code: small listings written by hand, and a stock GEMM compiled for three
targets."""

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from triton_plugins import machine_code

PTX = """
.version 9.0
.target sm_90a
.visible .entry k(.param .u64 p) {
	@%p1 cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, %r2;
	cp.async.ca.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x4, %r2;
	cp.async.wait_group 	2;
	cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], [%r5];
	mbarrier.arrive.shared.b64 	%rd3, [%r1];
	@elected mbarrier.arrive.shared::cta.b64 	_, [%r1];
	@!%p2 bar.sync 	0;
	wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%r1}, %rd60, %rd61, %p14, 1, 1, 0, 1;
	wgmma.wait_group.sync.aligned 1;
	st.local.v4.b32 	[%r1], {%r1, %r2, %r3, %r4};
	ret;
}
"""
SASS = """
        /*0b50*/              @!P3 LDGSTS.E.BYPASS.128 [R43], desc[UR14][R12.64], P3 ;
        /*0b60*/                   DEPBAR.LE SB0, 0x2 ;
        /*0b70*/              @UP1 HGMMA.64x256x16.F32 R24, gdesc[UR8].tnspB, R24, gsb0 ;
        /*0b80*/                   WARPGROUP.DEPBAR.LE gsb0, 0x1 ;
        /*0b90*/                   STL [R1+0x4], R2 ;
        /*0ba0*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R3 ;
"""
AMDGCN = """\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
k:
; %bb.0:
	buffer_load_dwordx4 v1, s[4:7], 0 offen lds
	buffer_load_dwordx4 v[2:5], v6, s[4:7], 0 offen ; not lds
	global_load_lds_dwordx4 v[2:3], off
	s_waitcnt vmcnt(3) lgkmcnt(1)
	v_mfma_f32_32x32x16_f16 a[0:15], v[0:3], v[4:7], a[0:15]
	s_barrier
	.section\t.rodata,"a",@progbits
	s_not_code
"""


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.arange(0, BM)
    cols = tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rows[:, None] * K + (k + depth)[None, :])
        b = tl.load(b_ptr + (k + depth)[:, None] * BN + cols[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * BN + cols[None, :], acc.to(tl.float16))


def compiled(target, **options):
    constants = {"BM": 128, "BN": 128, "BK": 64}
    signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "K": "i32"}
    source = ASTSource(
        gemm,
        signature | dict.fromkeys(constants, "constexpr"),
        constexprs={(4 + i,): value for i, value in enumerate(constants.values())},
        attrs={(i,): [["tt.divisibility", 16]] for i in range(4)},
    )
    return triton.compile(source, target=target, options=options)


def test_ptx_listing():
    listing = machine_code.ptx_listing(PTX)
    assert listing.classes() == {
        "wgmma m64n256k16": 1,
        "cp.async 16 B": 1,
        "cp.async 4 B": 1,
        "TMA load": 1,
        "mbarrier": 2,
        "barrier": 1,
        "st.local": 1,
    }
    assert listing.waits == {"cp.async": (2,), "wgmma": (1,)}
    assert listing.count(r"cp\.async\.c[ag]\..*") == 2


def test_sass_listing():
    listing = machine_code.sass_listing(SASS)
    assert listing.classes() == {
        "wgmma m64n256k16": 1,
        "cp.async 16 B": 1,
        "mbarrier": 1,
        "st.local (spill)": 1,
    }
    assert listing.waits == {"cp.async": (2,), "wgmma": (1,)}


def test_amdgcn_listing_tells_direct_to_lds_loads_from_the_others():
    listing = machine_code.amdgcn_listing(AMDGCN)
    assert listing.classes() == {
        "v_mfma_f32_32x32x16_f16": 1,
        "direct-to-LDS dwordx4": 2,
        "buffer_load_dwordx4": 1,
        "s_waitcnt": 1,
        "s_barrier": 1,
    }
    assert listing.waits == {"vmcnt": (3,), "lgkmcnt": (1,)}


def test_hopper_gemm():
    code = machine_code.inspect(compiled(GPUTarget("cuda", 90, 32), num_warps=4, num_stages=3))
    assert (code.kernel, code.target, code.amdgcn) == ("gemm", "sm_90a", None)
    assert code.sass.classes()["wgmma m64n128k16"] == code.ptx.classes()["wgmma m64n128k16"] > 0
    assert code.ptx.waits == code.sass.waits
    assert code.ptx.waits["cp.async"] == (2, 0)
    assert 100 < code.resources.registers <= 255
    assert code.resources.spills == 0
    assert code.resources.shared_bytes == 3 * 2 * 128 * 64 * 2


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_amd_gemm(arch):
    code = machine_code.inspect(compiled(GPUTarget("hip", arch, 64), num_warps=4, num_stages=2))
    assert (code.kernel, code.target, code.sass) == ("gemm", arch, None)
    assert code.final.count(r"v_mfma_f32_\w+_f16") > 0
    assert code.resources.spills == 0
    assert code.resources.occupancy >= 1
    assert code.resources.registers >= code.resources.agprs >= 0
    assert set(code.resources.sources) >= {"occupancy", "shared_bytes"}


def test_an_unfinished_kernel_is_refused():
    class Kernel:
        asm = {"ttir": "", "ttgir": ""}

        class metadata:
            name = "k"

    with pytest.raises(
        ValueError, match="k holds ttir, ttgir, but a summary needs a cubin or AMDGCN"
    ):
        machine_code.inspect(Kernel)


def test_a_broken_cubin_says_which_tool_failed():
    with pytest.raises(RuntimeError, match="nvdisasm -c failed"):
        machine_code.disassemble(b"not a cubin")
