"""Loops of AMDGCN text."""

from triton_plugins import amdgcn_loops

ASSEMBLY = """
kernel:
\ts_load_dwordx2 s[0:1], s[2:3], 0x0
.LBB0_1:                                ; =>This Loop Header: Depth=1
\ts_waitcnt lgkmcnt(0)
.LBB0_2:                                ;   Parent Loop BB0_1 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
\tbuffer_load_dwordx4 v2, s[8:11], 0 offen lds
\tglobal_load_lds_dwordx4 v[0:1], off
\tglobal_load_dwordx4 v[4:7], v[0:1], off
\ts_waitcnt vmcnt(4) lgkmcnt(1)   ; a comment
; %bb.3:
\tv_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]
\ts_cbranch_vccnz .LBB0_2
\ts_cbranch_scc1 .LBB0_1
\ts_endpgm
"""


def test_an_innermost_loop_is_found_in_order():
    (body,) = amdgcn_loops.innermost(ASSEMBLY)
    assert [one.opcode for one in body] == [
        "buffer_load_dwordx4",
        "global_load_lds_dwordx4",
        "global_load_dwordx4",
        "s_waitcnt",
        "v_mfma_f32_16x16x32_f16",
        "s_cbranch_vccnz",
    ]
    assert [one.is_direct_to_lds for one in body[:3]] == [True, True, False]
    assert all(one.is_global_load for one in body[:3])
    assert [one.waits for one in body if one.waits] == [{"vmcnt": 4, "lgkmcnt": 1}]
    assert [one.is_mfma for one in body].count(True) == 1


def test_no_loops():
    assert amdgcn_loops.innermost("kernel:\n\ts_endpgm\n") == []
