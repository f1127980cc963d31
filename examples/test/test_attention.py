"""The attention kernels without a GPU: their machine code for every head_dim."""

import re

import pytest
from triton.backends.compiler import GPUTarget

import triton_plugins
from examples import hopper_attention_backward_kernel, hopper_attention_kernel
from triton_plugins import machine_code

HOPPER = GPUTarget("cuda", 90, 32)


def tensordesc(dtype: str, ragged: bool, rows: int, columns: int) -> str:
    """The type of what a host passes for tiles of one head."""
    ones = [1, 1, 1] if ragged else [1, 1]
    return f"tensordesc<{dtype}{[*ones, rows, columns]}>"


def compile_forward(head_dim: int, *, dtype: str = "fp16", causal: bool, ragged: bool = False):
    constants = hopper_attention_kernel.constants(head_dim)
    own, keys = constants["BM"] // constants["GROUPS"], constants["BN"]
    constexprs = constants | {"CAUSAL": causal, "RAGGED": ragged}
    signature = {
        "lse_ptr": "*fp32:16",
        "next_ptr": "*i32:16",
        "scale": "fp32",
        "tiles": "i32",
        "heads": "i32",
    }
    signature |= dict.fromkeys(("heads_per_kv", "max_q", "max_k", "lse_stride"), "i32")
    for name, rows in (("q", own), ("k", keys), ("v", keys), ("o", own)):
        signature[f"{name}_desc"] = tensordesc(dtype, ragged, rows, constants["D0"])
        if constants["D1"]:
            signature[f"{name}_tail"] = tensordesc(dtype, ragged, rows, constants["D1"])
        else:
            constexprs[f"{name}_tail"] = None
    for name in ("cu_q", "cu_k"):
        if ragged:
            signature[name] = "*i32:16"
        else:
            constexprs[name] = None
    return triton_plugins.compile(
        hopper_attention_kernel.attention_forward,
        signature=signature,
        constexprs=constexprs,
        target=HOPPER,
        options=hopper_attention_kernel.OPTIONS,
    )


def compile_backward(head_dim: int, *, dtype: str = "fp16", causal: bool, ragged: bool = False):
    constants = hopper_attention_backward_kernel.constants(head_dim)
    queries, keys = constants["BM"], constants["BN"] // 2
    constexprs = constants | {"CAUSAL": causal, "RAGGED": ragged}
    signature = dict.fromkeys(("lse2_ptr", "delta_ptr"), "*fp32:16") | {"scale": "fp32"}
    integers = ("heads", "heads_per_kv", "max_q", "max_k", "padded_stride")
    signature |= dict.fromkeys(integers, "i32")
    _, added, _, first = hopper_attention_backward_kernel.dq_part(
        0, constants["D0"], constants["D1"], queries
    )
    for part, columns in (("desc", constants["D0"]), ("tail", constants["D1"])):
        boxes = {"q": queries, "k": keys, "v": keys, "grad": queries, "dk": keys, "dv": keys}
        for name, rows in boxes.items():
            signature[f"{name}_{part}"] = tensordesc(dtype, ragged, rows, columns)
        dq_columns = first if part == "desc" else columns
        signature[f"dq_{part}"] = tensordesc("fp32", ragged, added, dq_columns)
    if not constants["D1"]:
        tails = [name for name in signature if name.endswith("_tail")]
        constexprs |= dict.fromkeys(tails)
        signature = {name: of for name, of in signature.items() if name not in tails}
    for name in ("cu_q", "cu_k"):
        if ragged:
            signature[name] = "*i32:16"
        else:
            constexprs[name] = None
    return triton_plugins.compile(
        hopper_attention_backward_kernel.attention_backward,
        signature=signature,
        constexprs=constexprs,
        target=HOPPER,
        options=hopper_attention_backward_kernel.OPTIONS,
    )


def assert_specialized(code: machine_code.MachineCode) -> None:
    """The registers that the producer gives away reach the others."""
    assert code.ptx.count(r"setmaxnreg\.dec.*") > 0
    assert code.ptx.count(r"setmaxnreg\.inc.*") > 0


def assert_asynchronous(code: machine_code.MachineCode) -> None:
    """The assembler does not end every matrix instruction before the next one."""
    assert 2 * code.sass.count(r"WARPGROUP\.ARRIVE") < code.sass.count(r"HGMMA\..*")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head_dim", hopper_attention_kernel.HEAD_DIMS)
def test_forward(head_dim, causal):
    code = machine_code.inspect(compile_forward(head_dim, causal=causal))
    assert_specialized(code)
    assert_asynchronous(code)
    # What the loops do not need; see below.
    assert code.resources.stack_bytes <= 72
    constants = hopper_attention_kernel.constants(head_dim)
    # No matrix instruction is wider than the head: 96 columns are 64 and 32.
    assert code.sass.count(rf"HGMMA\.64x{constants['D0']}x16\.F32.*") > 0
    if constants["D1"]:
        assert code.sass.count(rf"HGMMA\.64x{constants['D1']}x16\.F32.*") > 0
    assert code.sass.count(r"UTMALDG\..*") > 0
    assert code.sass.count(r"UTMASTG\..*") > 0
    assert code.sass.count(r"MUFU\.EX2.*") > 0


def around_votes(sass: str) -> list[tuple[list[str], list[str]]]:
    """The opcodes between products and each vote, and from there to the next barrier in memory."""
    opcodes = re.findall(r"^\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?([\w.]+)", sass, re.MULTILINE)
    around = []
    for vote in (i for i, opcode in enumerate(opcodes) if opcode == "VOTE.ANY"):
        product = max(i for i in range(vote) if opcodes[i].startswith("HGMMA"))
        wait = next(i for i in range(vote, len(opcodes)) if "PHASECHK" in opcodes[i])
        around.append((opcodes[product:vote], opcodes[vote:wait]))
    return around


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head_dim", hopper_attention_kernel.HEAD_DIMS)
def test_most_tiles_need_no_maximum(head_dim, causal):
    constants = hopper_attention_kernel.constants(head_dim)
    kernel = compile_forward(head_dim, causal=causal)
    votes = around_votes(machine_code.disassemble(kernel.asm["cubin"]))
    assert len(votes) == constants["GROUPS"] * (2 if causal else 1)
    for common, rare in votes:
        starts = [tuple(opcode.split(".")[0] for opcode in part) for part in (common, rare)]
        # A thread has half as many scores as there are keys.
        assert starts[0].count("MUFU") == constants["BN"] // 2
        assert not {"FMNMX", "SHFL", "BAR"} & set(starts[0])
        assert starts[0].count("LDL") + starts[0].count("STL") <= 3
        # Warps take this branch or not, each by itself.
        assert {"FMNMX", "SHFL"} <= set(starts[1]) and "BAR" not in starts[1]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head_dim", hopper_attention_backward_kernel.HEAD_DIMS)
def test_backward(head_dim, causal):
    code = machine_code.inspect(compile_backward(head_dim, causal=causal))
    assert_specialized(code)
    assert_asynchronous(code)
    # Those of 32 columns wait for shared memory: only for what 96 has beside 64.
    assert (code.sass.count(r"HGMMA\.64x32x16\..*") > 0) == (head_dim == 96)
    # The thread's number, which nothing in a loop needs.
    assert code.resources.stack_bytes <= 8
    # dQ is added up in memory.
    assert code.sass.count(r"UTMAREDG\..*") > 0


@pytest.mark.parametrize("compiled", [compile_forward, compile_backward])
def test_ragged_bfloat16(compiled):
    assert_specialized(machine_code.inspect(compiled(96, dtype="bf16", causal=True, ragged=True)))
