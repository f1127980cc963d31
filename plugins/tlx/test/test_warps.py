"""What operations of warps compile to."""

import re

import pytest
import triton

import triton_plugins
from plugins.tlx.test import warp_kernels


def test_votes(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        ptx = triton_plugins.compile(
            warp_kernels.votes,
            signature={"src": "*i32", "dst": "*i32"},
            constexprs={"BLOCK": 128},
            target="cuda:90",
        ).asm["ptx"]
    assert "vote.sync.ballot.b32" in ptx and "0xffffffff" in ptx


def compile_branches(axis: int) -> str:
    return triton_plugins.compile(
        warp_kernels.branches,
        signature={"src": "*fp32", "dst": "*fp32"},
        constexprs={"ROWS": 4, "AXIS": axis},
        target="cuda:90",
    ).asm["ptx"]


def test_warps_branch_by_themselves(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        before, vote, behind = compile_branches(1).partition("vote.sync.any.pred")
        assert vote and "bar.sync" not in before + behind
        assert re.search(r"(?s)@!?%p\d+ bra.*shfl\.sync.*st\.global", behind)
        # Sums over warps cannot be there; what needs them is in Triton's tl.sum.
        message = r"(?s)needs all warps.*standard\.py:\d+, called at \S*warp_kernels\.py:\d+"
        with pytest.raises(triton_plugins.PassError, match=message):
            compile_branches(0)


def compile_barriers(barrier: int, tasks: int) -> str:
    return triton_plugins.compile(
        warp_kernels.named_barriers,
        signature={},
        constexprs={"BARRIER": barrier, "TASKS": tasks},
        target="cuda:90",
    ).asm["ptx"]


def test_named_barriers_are_not_triton_s():
    assert "bar.arrive" in compile_barriers(8, 6) and "bar.arrive" in compile_barriers(9, 7)
    with pytest.raises(triton_plugins.PassError, match="of task 7 .*; use one from 9 to 15"):
        compile_barriers(8, 7)


def compile_arrivals(warps: int, **options: int) -> str:
    return triton_plugins.compile(
        warp_kernels.arrivals,
        signature={"dst": "*i32"},
        constexprs={"WARPS": warps},
        target="cuda:90",
        options=options,
    ).asm["ptx"]


def test_warps_arrive_by_themselves(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        ptx = compile_arrivals(8, num_warps=8)
        assert re.search(r"mbarrier\.init\.shared::cta\.b64 \[.*\], 8;", ptx)
        # After the barriers are made no warp waits for another but at them.
        before, arrival, _ = re.split(r"(bar\.warp\.sync[^}]*mbarrier\.arrive.*;)", ptx)
        assert "elect.sync" in arrival
        assert "bar.sync" in before.split("mbarrier.init")[-1]

        with pytest.raises(triton_plugins.PassError, match="must know: num_warps=4"):
            compile_arrivals(8, num_warps=4)
