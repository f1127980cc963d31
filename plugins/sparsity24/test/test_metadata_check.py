"""What the check of metadata's registers finds in SASS."""

import pytest

from triton_plugins import machine_code
from triton_plugins.sparsity24 import metadata_check


def sass(*lines):
    """As nvdisasm prints them; a label ends with a colon."""
    printed = [".text.kernel:"]
    for index, line in enumerate(lines):
        address = f"/*{16 * index:04x}*/"
        printed.append(line if line.endswith(":") else f"        {address}   {line} ;   /* 0x0 */")
    return "\n".join(printed)


def find(*lines):
    return list(metadata_check.find_overwritten(sass(*lines)))


def product(register):
    """Two instructions with the same metadata, the second of which ends the group."""
    start = f"HGMMA.SP.64x256x32.F32 R24, gdesc[UR4].tnspB, R24, {register}"
    return f"{start}, 0x0", f"{start}, 0x1, gsb0"


WAIT, WAIT_FOR_ALL_BUT_ONE = "WARPGROUP.DEPBAR.LE gsb0, 0x0", "WARPGROUP.DEPBAR.LE gsb0, 0x1"


@pytest.mark.parametrize(
    "write",
    [
        "LDSM.16.MT88 R152, [R11+0x30000]",
        "@P0 IMAD.MOV.U32 R152, RZ, RZ, R10",
        "SHFL.IDX PT, R152, R3, RZ, 0x1f",
        "LDS.128 R148, [R10]",
        "LDS.128 R152, [R10]",
        "IMAD.WIDE.U32 R152, R2, 0x4, R4",
        "LDSM.16.M88.4 R152, [R10]",
        "SEL R152, R12, R13, !P2",
        "IABS R152, R21.reuse",
    ],
)
def test_a_write_before_the_wait(write):
    found = find(*product("R152"), write, WAIT, "EXIT")
    expected = [] if "R148" in write else [f"{write} at 0x0020"]
    assert found == expected
    assert not find(*product("R152"), WAIT, write, "EXIT")


def test_wide_writes_reach_their_last_register():
    assert find(*product("R155"), "LDS.128 R152, [R10]", WAIT, "EXIT")
    assert find(*product("R153"), "CS2R R152, SRZ", WAIT, "EXIT")
    assert not find(*product("R153"), "CS2R.32 R152, SR_CLOCKLO", WAIT, "EXIT")


@pytest.mark.parametrize(
    "read",
    ["STS [R2], R152", "ISETP.NE.U32.AND P2, PT, R152, -0x1, PT", "IMAD.MOV.U32 R12, RZ, RZ, R152",
     "R2UR UR8, R152", "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9], R152"],
)  # fmt: skip
def test_reading_is_allowed(read):
    assert not find(*product("R152"), read, WAIT, "EXIT")


def loop(even, odd):
    """A product runs while metadata of the next one is loaded."""
    return (
        ".L_x_1:",
        f"LDSM.16.MT88 {even}, [R10]",
        *product(even),
        WAIT_FOR_ALL_BUT_ONE,
        f"LDSM.16.MT88 {odd}, [R10]",
        *product(odd),
        WAIT_FOR_ALL_BUT_ONE,
        "@!P1 BRA `(.L_x_1)",
        WAIT,
        "EXIT",
    )


def test_a_product_in_flight():
    assert not find(*loop("R152", "R153"))
    assert len(find(*loop("R152", "R152"))) == 2


def test_every_way_through_the_kernel():
    ways = ("@P0 BRA `(.L_x_1)", WAIT, ".L_x_1:", "MOV R152, R3", "EXIT")
    assert find(*product("R152"), *ways) == ["MOV R152, R3 at 0x0050"]
    # Nothing comes from before an unconditional branch.
    ways = (WAIT, "BRA `(.L_x_1)", *product("R152"), ".L_x_1:", "MOV R152, R3", "EXIT")
    assert not find(*ways)


def test_the_error_says_what_to_do(monkeypatch):
    text = sass(*product("R152"), "MOV R152, R3", WAIT, "EXIT")
    monkeypatch.setattr(machine_code, "disassemble", lambda cubin: text)
    with pytest.raises(RuntimeError, match=r"MOV R152, R3 at 0x0020.*sparsity24_overlap_dots"):
        metadata_check.check(b"")
