"""What descriptors made in kernels, bulk copies and prefetches compile to, and what wrong ones are
told."""

import re

import pytest
import triton
import triton.language as tl

import triton_plugins
from plugins.tlx.test import descriptor_kernels as kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"
MATRICES = {"src": "*fp16:16", "dst": "*fp16:16", "m": "i32:16", "n": "i32:16"}
VECTORS = {"src": "*fp32:16", "dst": "*fp32:16", "n": "i32:16"}
FLOATS = {"src": "*fp32:16", "dst": "*fp32:16"}


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, signature, target=HOPPER, **constexprs):
    return triton_plugins.compile(kernel, signature=signature, constexprs=constexprs, target=target)


@pytest.mark.parametrize("dtype", [tl.float16, tl.int8, tl.uint8], ids=str)
def test_a_descriptor_is_made_by_one_task_and_used_by_another(dtype):
    pointer = {tl.float16: "*fp16:16", tl.int8: "*i8:16", tl.uint8: "*u8:16"}[dtype]
    signature = MATRICES | {"src": pointer, "dst": pointer, "steps": "i32"}
    compiled = compile(kernels.slots, signature, BM=64, BN=64, DTYPE=dtype)
    ttgir, ptx = compiled.asm["ttgir"], compiled.asm["ptx"]
    # Two slots and one, apart from each other, and no copy of the maker's own.
    assert sorted(map(int, re.findall(r"nbytes = (\d+)", ttgir))) == [128, 256]
    assert compiled.metadata.global_scratch_size == 384
    assert ttgir.count("ttng.tensormap_create") == 2
    # The task that made it for another does not take it over; its users do.
    assert ttgir.count("ttng.tensormap_fenceproxy_acquire") == 2
    layouts = re.findall(r"to !tt.tensordesc<64x64x\w+, (#\w+)>", ttgir)
    assert len(layouts) == 2 and len(set(layouts)) == 1
    assert ptx.count("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic") == 2
    assert ptx.count("fence.proxy.tensormap::generic.acquire.gpu") == 2
    assert "cp.async.bulk.tensor.2d.shared::cta.global" in ptx
    assert "cp.async.bulk.tensor.2d.global.shared::cta" in ptx


@pytest.mark.parametrize("target", [HOPPER, AMPERE, MI300, MI350])
def test_a_descriptor_without_a_slot_is_stock_tritons(target):
    compiled = compile(kernels.no_slot, MATRICES, target, BM=64, BN=64)
    assembly = compiled.asm.get("ptx", "")
    assert ("tensormap.replace" in assembly) == (target == HOPPER)


def test_stock_operations_use_a_descriptor_in_a_slot():
    compiled = compile(kernels.slot_and_load, MATRICES, BM=64, BN=64)
    assert compiled.asm["ttgir"].count("ttng.tensormap_create") == 2
    assert compiled.asm["ptx"].count("cp.async.bulk.tensor") == 2


@pytest.mark.parametrize("target", [AMPERE, MI300])
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (kernels.slot_and_load, "allocate_tensor_descriptor needs TMA, which sm_90 has and"),
        (kernels.copy_through_descriptor, "async_descriptor_store needs TMA, which sm_90 has and"),
    ],
)
def test_slots_and_copies_need_tma(kernel, message, target):
    constants = {"BM": 64, "BN": 64} if kernel is kernels.slot_and_load else {}
    with pytest.raises(triton.CompilationError, match=message):
        compile(kernel, MATRICES, target, **constants)


def test_what_is_no_slot_is_refused():
    with pytest.raises(triton.CompilationError, match="needs a slot of tlx.allocate_tensor_desc"):
        compile(kernels.not_a_slot, MATRICES)


def test_a_descriptor_is_taken_as_it_was_made():
    with pytest.raises(triton_plugins.PassError, match=r"blocks of shape \[32, 64\]") as caught:
        compile(kernels.another_block, MATRICES)
    assert "descriptor_kernels.py" in str(caught.value)


@pytest.mark.parametrize("policy", ["", "evict_first", "evict_last"])
def test_bulk_copies(policy):
    ptx = compile(kernels.bulk, VECTORS, BLOCK=1024, EVICT=policy).asm["ptx"]
    copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    assert ptx.count(copy) == 2
    assert (f"{copy}.L2::cache_hint" in ptx) == bool(policy)
    assert (f"createpolicy.fractional.L2::{policy}.b64" in ptx) == bool(policy)
    assert ptx.count("cp.async.bulk.global.shared::cta.bulk_group") == 2


@pytest.mark.parametrize("target", [AMPERE, MI300])
def test_bulk_copies_need_hopper(target):
    with pytest.raises(triton.CompilationError, match="alloc_barriers|cp.async.bulk"):
        compile(kernels.bulk, VECTORS, target, BLOCK=1024, EVICT="")


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (kernels.bulk_with_mask, "takes no mask, other or cache_modifier"),
        (kernels.barrier_without_bulk, "add bulk=True"),
    ],
)
def test_arguments_of_the_other_kind_of_copy(kernel, message):
    with pytest.raises(triton.CompilationError, match=message):
        compile(kernel, VECTORS)


def test_copies_say_what_caches_keep():
    assert "cp.async.cg" in compile(kernels.cached, VECTORS, CACHE="", EVICT="").asm["ptx"]
    assert "cp.async.ca" in compile(kernels.cached, VECTORS, CACHE=".ca", EVICT="").asm["ptx"]
    evicted = compile(kernels.cached, VECTORS, CACHE=".cg", EVICT="evict_first").asm["ptx"]
    assert "createpolicy.fractional.L2::evict_first" in evicted
    with pytest.raises(triton.CompilationError, match="it must be '', '.ca' or '.cg'"):
        compile(kernels.cached, VECTORS, CACHE=".cv", EVICT="")


@pytest.mark.parametrize("target", [MI300, MI350])
def test_copies_say_what_caches_keep_on_amd(target):
    assert compile(kernels.cached, VECTORS, target, CACHE=".cg", EVICT="").asm["amdgcn"]


@pytest.mark.parametrize("level", ["L1", "L2"])
def test_prefetches(level):
    ptx = compile(kernels.prefetches, VECTORS, LEVEL=level).asm["ptx"]
    assert ptx.count(f"@p prefetch.global.{level} [") == 1
    assert ptx.count(f"prefetch.global.{level} [") == (3 if level == "L2" else 2)


def test_prefetches_that_are_not_there():
    with pytest.raises(triton.CompilationError, match="'level' must be 'L1' or 'L2'"):
        compile(kernels.prefetches, VECTORS, LEVEL="L3")
    with pytest.raises(triton.CompilationError, match="an instruction of NVIDIA's GPUs"):
        compile(kernels.prefetches, VECTORS, MI300, LEVEL="L2")


@pytest.mark.parametrize("policy", ["", "evict_last"])
def test_blocks_of_tensors_are_prefetched(policy):
    signature = {"desc": "tensordesc<fp16[64, 128]>", "dst": "*fp16:16", "n": "i32:16"}
    ptx = compile(kernels.prefetched_tensor, signature, EVICT=policy).asm["ptx"]
    # Stock Triton copies 128 columns of 2 bytes as two boxes.
    assert ptx.count("cp.async.bulk.prefetch.tensor.2d.L2.global") == 2
    assert ("L2::cache_hint" in ptx) == bool(policy)
    assert ptx.count("prefetch.tensormap [") == 1


@pytest.mark.parametrize("op", ["max", "min", "abs_max", "abs_min"])
def test_warp_redux(op):
    ptx = compile(kernels.redux, FLOATS, OP=op).asm["ptx"]
    assert ptx.count(f"redux.sync.{op[-3:]}.s32") == 1


def test_warp_redux_knows_four_operations():
    with pytest.raises(triton.CompilationError, match="must be one of max, min, abs_max, abs_min"):
        compile(kernels.redux, FLOATS, OP="sum")


@pytest.mark.parametrize("fence", [False, True])
def test_fences_are_looked_for_where_one_may_be_missing(fence, monkeypatch, capfd):
    monkeypatch.setenv("MLIR_ENABLE_TIMING", "1")
    compiled = compile(kernels.stored, {"desc": "tensordesc<fp32[64, 64]>"}, FENCE=fence)
    assert compiled.asm["ptx"].count("fence.proxy.async.shared::cta") == 1
    passes = capfd.readouterr().err
    assert "TLXInsertProxyFences" in passes
    assert ("ProxyFenceInsertion" in passes) == (not fence)
