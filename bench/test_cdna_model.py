"""The estimate of a loop's cycles, on loops that are short enough to work out by hand."""

import dataclasses

import pytest

from bench import amd_loops, cdna_model
from bench.cdna_machine import MACHINES, decode
from triton_plugins.amdgcn_loops import Instruction

CDNA3, CDNA4 = MACHINES["gfx942"], MACHINES["gfx950"]


def loop(*lines: str) -> list[Instruction]:
    """Instructions, each as often as the number behind a "*" says, and the branch back."""
    body = []
    for line in lines:
        text, _, count = line.partition(" * ")
        opcode, _, operands = text.partition(" ")
        body += [Instruction(opcode, operands)] * int(count or 1)
    return [*body, Instruction("s_cbranch_scc1", ".LBB0_1")]


def cycles(*lines: str, machine=CDNA3, waves=4) -> float:
    return cdna_model.estimate(loop(*lines), machine, waves=waves).cycles


SHORT, LONG = "v_mfma_f32_16x16x16_f16", "v_mfma_f32_32x32x8_bf16"
VECTOR, EXP, PAIR = "v_add_f32_e32", "v_exp_f32_e32", "v_pk_mul_f32"


def test_products_follow_each_other_without_a_gap():
    # The branch is issued 4 cycles after the last product and takes 16: less than a product.
    assert cycles(f"{LONG} * 4") == 4 * 32
    assert cdna_model.estimate(loop(f"{LONG} * 4"), CDNA3, waves=4).mfma == 1


def test_a_single_short_product_does_not_hide_the_branch():
    found = cdna_model.estimate(loop(SHORT), CDNA3, waves=4)
    assert found.cycles == 4 + 16
    assert found.mfma == pytest.approx(16 / 20)


def test_a_wave_that_does_nothing():
    assert cycles("s_nop 3") == 4 * 4 + 16


def test_waves_of_one_simd_share_its_matrix_cores():
    assert cycles(f"{LONG} * 4", waves=8) == 2 * 4 * 32


@pytest.mark.parametrize(
    ("between", "more"),
    [([f"{VECTOR} * 3"], 0), ([f"{VECTOR} * 4"], 4), ([EXP], 4), ([PAIR], 12), ([PAIR, PAIR], 16)],
)
def test_what_runs_beside_a_product(between, more):
    # A product is issued in one of its four turns, exp2 takes four, and pairs wait for its end.
    assert cycles(SHORT, *between, SHORT) == 16 + 4 + 16 + more


@pytest.mark.parametrize(
    ("between", "more"),
    [
        ([f"{VECTOR} * 2"], 0),
        ([f"{VECTOR} * 3"], 4),
        ([EXP], 0),
        ([f"{EXP} * 2"], 8),
        ([PAIR], 16),
        ([PAIR, PAIR], 20),
    ],
)
def test_what_runs_beside_a_product_of_wide_operands(between, more):
    # It keeps the vector unit for two of its four turns, and pairs wait for a turn more.
    wide = "v_mfma_f32_16x16x32_f16"
    assert cycles(wide, *between, wide, machine=CDNA4) == 16 + 4 + 16 + more


def test_exponentials_of_cdna4_are_twice_as_fast():
    slow, quick = (cycles(f"{EXP} * 8", machine=machine) for machine in (CDNA3, CDNA4))
    assert slow - quick == 7 * 8


def test_a_read_of_lds_is_waited_for():
    read = "ds_read_b128 v[0:3], v4"
    assert cycles(read, "s_waitcnt lgkmcnt(0)") == 64 + 4 + 16
    # The second is behind the first, whose 1024 bytes take 16 cycles.
    assert cycles(read, read, "s_waitcnt lgkmcnt(1)", waves=1) == 64 + 4 + 16
    assert cycles(read, read, "s_waitcnt lgkmcnt(0)", waves=1) == 64 + 16 + 4 + 16


@pytest.mark.parametrize(("machine", "busy"), [(CDNA3, 512), (CDNA4, 256)])
def test_two_simds_share_a_port_of_lds(machine, busy):
    # 4 waves, 8 reads, 1024 bytes at 64 or 128 bytes a cycle.
    body = loop("ds_read_b128 v[0:3], v4 * 8", "s_waitcnt lgkmcnt(0)")
    found = cdna_model.estimate(body, machine, waves=8)
    assert found.lds * found.cycles == pytest.approx(busy)
    assert busy <= found.cycles < 1.5 * busy


def test_a_wave_has_15_accesses_of_lds_under_way():
    # The last of 20 reads is issued when the fifth has its data, after 5 transfers and 48 cycles.
    last = 5 * 16 + 48
    assert cycles("ds_read_b128 * 20", f"{LONG} * 10", waves=1) == last + 4 + 9 * 32 + 4 + 16


@pytest.mark.parametrize(("store", "busy"), [("ds_write_b32", 8), ("ds_write_b128", 20)])
def test_addresses_of_stores_take_a_share_of_the_port(store, busy):
    found = cdna_model.estimate(loop(store, "s_waitcnt lgkmcnt(0)"), CDNA3, waves=1)
    assert found.lds * found.cycles * 2 == pytest.approx(busy)


def test_a_load_is_waited_for_as_the_counter_says():
    load = "buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen"
    alone = 16 + 800 + 4 + 16
    assert cycles(load, "s_waitcnt vmcnt(0)", waves=1) == alone
    # With one in flight a pass lasts half as long, but for where turns begin.
    assert cycles(load, "s_waitcnt vmcnt(1)", waves=1) == pytest.approx(alone / 2, abs=12)
    assert cdna_model.estimate(loop(load), CDNA3, waves=1).loaded == 1024


def test_direct_loads_take_their_share_of_lds():
    load = "buffer_load_dwordx4 v4, s[0:3], 0 offen lds"
    found = cdna_model.estimate(loop(load, "s_waitcnt vmcnt(0)"), CDNA4, waves=4)
    assert found.lds * found.cycles * 2 == pytest.approx(4 * 1024 / 64)


def test_barriers_wait_for_the_last_wave_of_their_block():
    # 8 waves: the second of a SIMD multiplies when the first is through.
    body = loop(f"{LONG} * 2", "s_barrier")
    found = cdna_model.estimate(body, CDNA3, waves=8)
    assert found.cycles == 4 * 32 - (32 - 4) + 16 + 16
    assert cdna_model.estimate(body, CDNA3, waves=4, blocks=2).cycles == 4 * 32


READ = ["ds_read_b128 v[0:3], v4 * 12", f"{VECTOR} * 30", "s_waitcnt lgkmcnt(0)", "s_barrier"]


def test_halves_that_alternate_hide_their_reads():
    body = loop(*READ, f"{LONG} * 32", "s_barrier")
    together = cdna_model.estimate(body, CDNA3, waves=8)
    alternate = cdna_model.estimate(body, CDNA3, waves=8, alternate=True)
    assert together.mfma < 0.87 < 0.94 < alternate.mfma


def test_products_that_come_first_are_not_held_up_by_the_other_half():
    first = loop(*READ, "s_setprio 1", f"{LONG} * 32", "s_setprio 0", "s_barrier")
    last = loop(*READ, "s_setprio 0", f"{LONG} * 32", "s_setprio 1", "s_barrier")
    shares = [cdna_model.estimate(x, CDNA3, waves=8, alternate=True).mfma for x in (first, last)]
    assert shares[0] > shares[1]


@pytest.mark.parametrize(
    "line",
    ["v_mfma_f32_4x4x4_16b_f16", "v_smfmac_f32_16x16x32_f16", "s_load_dword", "flat_load_dword"],
)
def test_what_is_not_in_the_model_is_an_error(line):
    with pytest.raises(ValueError, match=f"{line}.*not in the model"):
        cdna_model.estimate(loop(line), CDNA3, waves=1)


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("ds_read2st64_b64", 1024),
        ("ds_read_b64_tr_b16", 512),
        ("ds_write_b128", 1024),
        ("ds_read_u16_d16", 128),
        ("ds_bpermute_b32", 256),
        ("buffer_load_dwordx3", 768),
        ("global_load_dword", 256),
        ("buffer_load_ushort", 128),
        ("buffer_load_ubyte", 64),
    ],
)
def test_bytes_of_a_wave(line, size):
    assert decode(Instruction(line, ""), CDNA4).size == size


def test_the_latency_that_a_loop_hides():
    body = loop("s_waitcnt vmcnt(0)", "buffer_load_dword v0, v1, s[0:3], 0 offen", f"{LONG} * 64")
    made = amd_loops.Loop(body, waves=4, blocks=1, alternate=False)
    # The load is issued some 2030 cycles before the wait, and goes through the memory path first.
    assert amd_loops.hidden_latency(made, CDNA3) == 2000
    assert made.estimate(dataclasses.replace(CDNA3, memory_latency=3000)).mfma < 0.7
