"""What kernels for clusters of blocks compile to, and what wrong ones are told."""

import re

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.tlx as tlx
from plugins.tlx.test import cluster_kernels as kernels


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, signature, *, target="cuda:90", num_ctas=2, **constexprs):
    return triton_plugins.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=target,
        options={"num_ctas": num_ctas},
    )


BLOCK = {"src": "tensordesc<fp16[64, 128]>", "dst": "tensordesc<fp16[64, 128]>"}
GEMM = {
    "a_desc": "tensordesc<fp16[128, 64]>",
    "b_desc": "tensordesc<fp16[64, 64]>",
    "c": "*fp16:16",
    **dict.fromkeys("MNK", "i32:16"),
}


@pytest.mark.parametrize("size", [1, 2, 4])
def test_every_block_is_a_program(size):
    compiled = compile(kernels.ranks, {"dst": "*i32:16"}, num_ctas=size)
    ptx = compiled.asm["ptx"]
    assert compiled.metadata.num_ctas == size
    assert bool(re.search(rf"\.reqnctapercluster {size}\b", ptx)) == (size > 1)
    # The program's number and their number are the block's own.
    assert "%ctaid.x" in ptx and "%nctaid.x" in ptx
    assert "%cluster_ctarank" in ptx and "%cluster_nctarank" in ptx
    # A kernel that only asks where it is need not wait for others.
    assert "barrier.cluster" not in ptx


def test_arrivals_at_another_block():
    ptx = compile(kernels.turns, {"order": "*i32:16"}, ROUNDS=3).asm["ptx"]
    assert ptx.count("mapa.shared::cluster.u32") == 3
    assert ptx.count("mbarrier.arrive.release.cluster.shared::cluster.b64") == 3
    assert ptx.count("mbarrier.try_wait.parity.acquire.cluster") == 3
    # The blocks meet before the first and after the last arrival.
    ready, first = ptx.index("barrier.cluster.wait"), ptx.index("mapa.")
    assert ptx.index("fence.mbarrier_init.release.cluster") < ready < first
    assert ptx.rindex("barrier.cluster.arrive") > ptx.rindex("mbarrier.try_wait")
    assert ptx.count("barrier.cluster.arrive") == 2


@pytest.mark.parametrize("tasks", [False, True])
def test_all_warps_come_to_cluster_barriers(tasks):
    signature = {"words": "*i32:16", "seen": "*i32:16"}
    ptx = compile(kernels.barriers, signature, ROUNDS=2, TASKS=tasks).asm["ptx"]
    # The warps of tasks share one copy, to which every barrier sends them.
    own = ptx.count("barrier.cluster.arrive")
    assert own == (3 if tasks else 2)
    assert ptx.count("barrier.cluster.wait") == own


def test_a_copy_goes_to_both_blocks():
    ptx = compile(kernels.shared_rows, BLOCK, ROWS=64, COLUMNS=128).asm["ptx"]
    copies = re.findall(r"cp\.async\.bulk\.tensor\.2d\.shared::\S+ .*", ptx)
    assert len(copies) == 1
    assert re.fullmatch(
        r"cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global\.mbarrier::complete_tx::bytes"
        r"\.multicast::cluster \[%r\d+\], \[%rd\d+, \{%r\d+, %r\d+\}\], \[%r\d+\], (%rs\d+);",
        copies[0],
    )
    assert re.search(r"mov\.b16\s+%rs\d+, 3;", ptx)


def test_gemm_that_shares_a_tile():
    ptx = compile(kernels.gemm, GEMM, BM=128, BN=128, BK=64, STAGES=3).asm["ptx"]
    assert len(re.findall(r"cp\.async\.bulk\.tensor\.\S+\.multicast::cluster", ptx)) == 1
    assert len(re.findall(r"cp\.async\.bulk\.tensor\.2d\.shared::cta", ptx)) == 1
    assert ptx.count("mbarrier.arrive.relaxed.cluster.shared::cluster.b64") == 2
    # Nothing is handed over through memory, so that waits need not look further than their block.
    assert "acquire.cluster" not in ptx
    assert "wgmma.mma_async" in ptx


@pytest.mark.parametrize(
    ("how", "instruction"),
    [
        ("async", r"st\.async\.shared::cluster\.mbarrier::complete_tx::bytes\.v4\.b32"),
        ("store", r"st\.shared::cluster\.v4\.b32"),
        ("load", r"ld\.shared::cluster\.v4\.b32"),
    ],
)
def test_blocks_exchange_tiles(how, instruction):
    signature = {"src": "*fp16:16", "dst": "*fp16:16"}
    ptx = compile(kernels.exchange, signature, ROWS=32, COLUMNS=64, HOW=how).asm["ptx"]
    # A thread's share of 2048 halves is 32 bytes.
    assert len(re.findall(instruction, ptx)) == 2
    assert ptx.count("barrier.cluster.arrive") == 2
    # Waits for what comes from the other block see what it wrote.
    assert ("mbarrier.try_wait.parity.acquire.cluster" in ptx) == (how != "load")


def test_an_element_is_sent_once():
    signature = {"src": "*fp32:16", "dst": "*fp32:16"}
    ptx = compile(kernels.exchange, signature, ROWS=1, COLUMNS=16, HOW="async").asm["ptx"]
    assert len(re.findall(r"@%p\d+ st\.async\.\S+\.v4\.b32", ptx)) == 1


def test_stores_that_are_too_narrow():
    with pytest.raises(triton_plugins.PassError, match=r"would store 1 bytes at once"):
        compile(
            kernels.exchange, {"src": "*i8:16", "dst": "*i8:16"}, ROWS=64, COLUMNS=1, HOW="async"
        )


@triton.jit
def warps_arrive():
    bars = tlx.alloc_warp_barrier(1, num_warps=4, num_arrivals=2)
    tlx.barrier_arrive(bars[0])
    tlx.barrier_arrive(bars[0], remote_cta_rank=tlx.cluster_cta_rank() ^ 1)


def test_warps_arrive_by_themselves():
    ptx = compile(warps_arrive, {}).asm["ptx"]
    # At this block's barrier and at the other's, each named by its block.
    arrivals = re.findall(r"mbarrier\.arrive\S*\.shared::cluster\.b64", ptx)
    assert len(arrivals) == 2 and ptx.count("mapa.shared::cluster") == 2
    own, other = (match.start() for match in re.finditer(r"@elected mbarrier\.arrive", ptx))
    assert "bar.sync" not in ptx[own:other] and "bar.warp.sync" in ptx[own:other]


@triton.jit
def in_a_task():
    with tlx.async_tasks():
        with tlx.async_task("default"):
            tlx.cluster_barrier()
        with tlx.async_task(num_warps=1):
            tlx.thread_id(0)


@triton.jit
def arrives(RANK: tl.constexpr):
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], remote_cta_rank=RANK)


@triton.jit
def relaxed_here():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_arrive(bars[0], relaxed=True)


@triton.jit
def waits_there():
    bars = tlx.alloc_barriers(1)
    tlx.barrier_wait(tlx.remote_view(bars[0], 0), 0)


@pytest.mark.parametrize(
    ("kernel", "constexprs", "options", "message"),
    [
        (in_a_task, {}, {}, r"stands in a task, but all warps of the cluster take part"),
        (arrives, {"RANK": 2}, {}, r"names block 2 of the cluster, which has 2 \(num_ctas\)"),
        (arrives, {"RANK": 1}, {"num_ctas": 1}, r"names block 1 of the cluster, which has 1"),
        (arrives, {"RANK": -1}, {}, r"names block -1 of the cluster"),
        (
            arrives,
            {"RANK": 0},
            {"num_ctas": 1, "target": "cuda:80"},
            r"needs clusters of blocks, which sm_90 has and sm_80 has not",
        ),
        (relaxed_here, {}, {}, r"relaxed at barriers of other blocks only"),
        (waits_there, {}, {}, r"barrier_wait needs a barrier of this block"),
    ],
)
def test_wrong_kernels(kernel, constexprs, options, message):
    with pytest.raises(Exception, match=message) as caught:
        compile(kernel, {}, **options, **constexprs)
    assert re.search(rf"test_clusters.py:\d+|def {kernel.__name__}", str(caught.value))


def test_copies_to_blocks_need_a_cluster():
    with pytest.raises(triton_plugins.PassError, match=r"launch it with num_ctas=2 or more"):
        compile(kernels.shared_rows, BLOCK, ROWS=64, COLUMNS=128, num_ctas=1)
