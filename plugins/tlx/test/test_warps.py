"""What operations of warps compile to."""

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
