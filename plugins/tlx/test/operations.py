"""What TLX's operations become on each architecture: the table in docs/tlx_model.md, each cell of
which test_operations.py compiles."""

from __future__ import annotations

from dataclasses import dataclass, field

ARCHITECTURES = {
    "sm_80": "cuda:80",
    "sm_90": "cuda:90",
    "gfx942": "hip:gfx942",
    "gfx950": "hip:gfx950",
}


@dataclass(frozen=True)
class Cell:
    """What a row's kernel compiles to on one architecture.

    Attributes:
        says: What the table says.
        finds: Regular expression that is found in the assembly or, if `is_error`, in the error.
        is_error: Whether the kernel does not compile.
    """

    says: str
    finds: str
    is_error: bool = False


@dataclass(frozen=True)
class Row:
    """Operations that go together, with a kernel that uses them.

    Attributes:
        operations: Names in `triton_plugins.tlx`.
        kernel: Name of the kernel in operation_kernels.py.
        cells: What it becomes, by architecture.
        signature: Types of the kernel's arguments.
        num_ctas: Blocks of a cluster where the GPU has clusters.
    """

    operations: tuple[str, ...]
    kernel: str
    cells: dict[str, Cell]
    signature: dict[str, str] = field(default_factory=dict)
    num_ctas: int = 1

    def title(self) -> str:
        """The row's first column."""
        return ", ".join(f"`{name}`" for name in self.operations)


def _pointers(dtype: str = "fp32", **more: str) -> dict[str, str]:
    return {"src": f"*{dtype}:16", "dst": f"*{dtype}:16"} | more


def _error(needs: str) -> Cell:
    return Cell("error", needs, is_error=True)


def _cells(sm_80: Cell, sm_90: Cell, gfx942: Cell, gfx950: Cell) -> dict[str, Cell]:
    return dict(zip(ARCHITECTURES, (sm_80, sm_90, gfx942, gfx950), strict=True))


def _vendors(nvidia: Cell, amd: Cell) -> dict[str, Cell]:
    return _cells(nvidia, nvidia, amd, amd)


def _hopper(cell: Cell, needs: str, amd_needs: str = "") -> dict[str, Cell]:
    amd = _error(amd_needs or needs)
    return _cells(_error(needs), cell, amd, amd)


def _same(cell: Cell) -> dict[str, Cell]:
    return _vendors(cell, cell)


_SHARED = Cell("shared memory", r"st\.shared")
_LDS = Cell("LDS", r"ds_(write|read)")
_NO_BARRIERS = "alloc_barriers needs barriers in memory, which sm_80 has"
_NO_TASKS = "async_tasks needs hardware barriers of some of a block's warps"
_NVIDIA_ONLY = r"is an instruction of NVIDIA's GPUs"
_AMD_ONLY = r"needs an AMD GPU \(gfx942, gfx950\)"

ROWS = [
    Row(
        (
            "local_alloc",
            "local_view",
            "local_slice",
            "local_trans",
            "local_reinterpret",
            "local_load",
            "local_store",
        ),
        "buffers",
        _vendors(_SHARED, _LDS),
        _pointers(),
    ),
    Row(
        ("storage_alias_spec", "reuse_group"),
        "shared_memory",
        _vendors(_SHARED, _LDS),
        _pointers(),
    ),
    Row(
        ("require_layout", "release_layout", "zeros", "layout", "assert_same_layout"),
        "layouts",
        _vendors(Cell("registers, shared memory", r"st\.shared"), Cell("registers, LDS", r"ds_")),
        _pointers(),
    ),
    Row(
        ("async_load", "async_load_commit_group", "async_load_wait_group"),
        "copies",
        _cells(
            Cell("`cp.async`", r"cp\.async\.cg\.shared\.global"),
            Cell("`cp.async`", r"cp\.async\.cg\.shared\.global"),
            Cell("load, `ds_write`", r"(?s)_load_dwordx4.*ds_write"),
            Cell("direct to LDS", r"_load_dwordx4.*\blds\b|_load_lds_dwordx4"),
        ),
        _pointers(n="i32:16"),
    ),
    Row(
        ("async_load(bulk=True)",),
        "bulk_load",
        _hopper(
            Cell("`cp.async.bulk`", r"cp\.async\.bulk\.shared::\w+\.global"),
            r"a bulk async_load needs cp\.async\.bulk|barriers that count bytes",
            _NO_BARRIERS + "|a bulk async_load needs",
        ),
        _pointers(),
    ),
    Row(
        ("async_store",),
        "bulk_store",
        _hopper(
            Cell("`cp.async.bulk`", r"cp\.async\.bulk\.global\.shared::cta"),
            r"async_store needs cp\.async\.bulk",
        ),
        _pointers(),
    ),
    Row(
        (
            "async_descriptor_load",
            "async_descriptor_store",
            "async_descriptor_store_wait",
            "async_descriptor_prefetch_tensor",
        ),
        "descriptors",
        _hopper(
            Cell("TMA", r"(?s)bulk\.prefetch\.tensor.*bulk\.tensor.*bulk\.tensor"),
            "needs TMA, which sm_90 has",
        ),
        {"desc": "tensordesc<fp16[64, 64]>"},
    ),
    Row(
        ("make_tensor_descriptor",),
        "made_descriptors",
        _cells(
            Cell("pointers", r"ld\.global"),
            Cell("TMA", r"tensormap\.replace"),
            Cell("pointers", r"_load_dword"),
            Cell("pointers", r"_load_dword"),
        ),
        {"src": "*fp16:16", "n": "i32"},
    ),
    Row(
        ("allocate_tensor_descriptor", "reinterpret_tensor_descriptor"),
        "descriptor_slots",
        _hopper(Cell("TMA", r"tensormap\.replace"), "needs TMA, which sm_90 has"),
        {"src": "*fp16:16", "n": "i32"},
    ),
    Row(
        ("prefetch",),
        "prefetches",
        _vendors(Cell("`prefetch`", r"prefetch\.global\.L2"), _error(_NVIDIA_ONLY)),
        _pointers(),
    ),
    Row(
        ("async_dot", "async_dot_wait"),
        "products",
        _hopper(
            Cell("`wgmma`", r"wgmma\.mma_async"),
            r"async_dot needs wgmma, which sm_90a has",
        ),
        _pointers("fp16"),
    ),
    Row(
        ("alloc_barriers", "barrier_wait", "barrier_arrive"),
        "barriers",
        _cells(
            Cell("`mbarrier`", r"mbarrier\.test_wait"),
            Cell("`mbarrier`", r"mbarrier\.try_wait"),
            _error(f"{_NO_BARRIERS}|{_NO_TASKS}"),
            _error(f"{_NO_BARRIERS}|{_NO_TASKS}"),
        ),
        _pointers(),
    ),
    Row(
        ("alloc_warp_barrier",),
        "warp_barriers",
        _hopper(
            Cell("`mbarrier`", r"(?s)elect\.sync.*mbarrier\.arrive"),
            r"arrivals of warps \(alloc_warp_barrier\) need elect\.sync",
            f"{_NO_BARRIERS}|{_NO_TASKS}",
        ),
        _pointers(),
    ),
    Row(
        ("barrier_expect_bytes",),
        "expected_bytes",
        _hopper(
            Cell("`mbarrier`", r"mbarrier\.arrive\.expect_tx"),
            "barrier_expect_bytes needs barriers that count bytes, which sm_90 has",
            _NO_BARRIERS,
        ),
    ),
    Row(
        ("named_barrier_wait", "named_barrier_arrive"),
        "named_barriers",
        _vendors(Cell("`bar`", r"(?s)bar\.arrive.*bar\.sync"), _error(_NVIDIA_ONLY)),
        _pointers(),
    ),
    Row(
        ("async_tasks", "async_task", "async_task_replica_id", "num_warps"),
        "tasks",
        _vendors(Cell("groups of warps", r"\.reqntid 384"), _error(_NO_TASKS)),
        _pointers(),
    ),
    Row(
        ("async_task(registers=)",),
        "registers",
        _hopper(
            Cell("`setmaxnreg`", r"setmaxnreg\.dec.*120"),
            r"async_task\(registers=\) needs setmaxnreg",
            _NO_TASKS,
        ),
        _pointers(),
    ),
    Row(
        ("fence",),
        "fences",
        _vendors(Cell("`fence.acq_rel`", r"fence\.acq_rel\.gpu"), _error(_NVIDIA_ONLY)),
        _pointers(),
    ),
    Row(
        ("fence_async_shared",),
        "proxy_fences",
        _hopper(
            Cell("`fence.proxy.async`", r"fence\.proxy\.async"),
            "fence_async_shared needs the asynchronous proxy, which sm_90 has",
        ),
        _pointers(),
    ),
    Row(
        ("cluster_cta_rank", "cluster_size_1d"),
        "clusters",
        _hopper(
            Cell("registers of clusters", r"(?s)%cluster_ctarank.*%cluster_nctarank"),
            "needs clusters of blocks, which sm_90 has",
        ),
        {"dst": "*i32"},
    ),
    Row(
        (
            "cluster_barrier",
            "remote_view",
            "fence_mbarrier_init_cluster",
        ),
        "other_blocks",
        _hopper(
            Cell("`mapa`, `barrier.cluster`", r"(?s)fence\.mbarrier_init.*barrier\.cluster.*mapa"),
            "needs clusters of blocks, which sm_90 has",
        ),
        {"dst": "*fp32:16"},
        num_ctas=2,
    ),
    Row(
        ("async_descriptor_load(multicast_targets=)",),
        "multicasts",
        _hopper(Cell("TMA", r"\.multicast::cluster"), "needs TMA|barriers that count", "needs TMA"),
        {"desc": "tensordesc<fp16[64, 64]>"},
        num_ctas=2,
    ),
    Row(
        ("remote_shmem_store", "async_remote_shmem_store"),
        "remote_stores",
        _hopper(
            Cell("`st.shared::cluster`, `st.async`", r"(?s)st\.shared::cluster.*st\.async"),
            "needs clusters of blocks, which sm_90 has",
        ),
        _pointers(),
    ),
    Row(
        ("thread_id", "clock64", "vote_ballot_sync", "vote_any", "warp_redux"),
        "threads",
        _vendors(
            Cell("PTX", r"(?s)%clock64.*%tid\.x.*vote\.sync\.ballot.*vote\.sync\.any.*redux\.sync"),
            _error(_NVIDIA_ONLY),
        ),
        {"dst": "*i64"},
    ),
    Row(
        ("buffer_load", "buffer_store", "buffer_load_to_local", "buffer_atomic_add"),
        "buffer_accesses",
        _cells(
            Cell("ordinary accesses", r"(?s)cp\.async.*ld\.global.*(atom|red)\.global"),
            Cell("ordinary accesses", r"(?s)cp\.async.*ld\.global.*(atom|red)\.global"),
            Cell("buffer instructions", r"(?s)buffer_load.*buffer_store.*buffer_atomic"),
            Cell("buffer instructions, direct to LDS", r"buffer_load_dwordx4.*\blds\b"),
        ),
        _pointers(),
    ),
    Row(
        ("amd_sched_barrier", "amd_sched_group_barrier", "amd_iglp_opt"),
        "schedules",
        _vendors(
            _error(_AMD_ONLY),
            Cell("hints to LLVM", "(?s)iglp_opt.*sched_barrier.*sched_group_barrier"),
        ),
        _pointers(),
    ),
    Row(
        ("warp_pipeline_stage",),
        "stages",
        _vendors(_error(_AMD_ONLY), Cell("`s_setprio`, `s_barrier`", "(?s)s_setprio.*s_barrier")),
        _pointers(n="i32"),
    ),
    Row(
        (
            "amd_scheduled_mfma",
            "amd_mfma_commit",
            "amd_register_resident",
            "amd_register_class_anchor",
            "rematerialized_range",
            "warp_predicate",
            "warp_any",
        ),
        "register_hints",
        _vendors(
            Cell("no effect on registers", r"mma\.sync|wgmma"),
            Cell("no effect on registers", r"v_mfma_f32"),
        ),
        _pointers("fp16"),
    ),
    Row(
        ("extract_slice", "assume_uniform"),
        "parts",
        _vendors(Cell("registers", r"st\.global"), Cell("registers", r"v_readfirstlane")),
        _pointers(),
    ),
    Row(
        ("dtype_of", "size_of", "is_hip", "get_fp8_format_name", "get_bufidx_phase"),
        "questions",
        _same(Cell("known at compile time", r"st\.global|_store_dword")),
        _pointers(),
    ),
    Row(
        (
            "async_dot_scaled",
            "subslice",
            "tcgen05_commit",
            "tmem_copy",
            "clc_create_context",
            "clc_producer",
            "clc_consumer",
            "stoch_round",
        ),
        "scaled_product",
        _same(_error(r"needs tensor memory and tcgen05, which Blackwell \(sm_100a\) has")),
        {"src": "*fp32"},
    ),
]


def table() -> str:
    """The rows as a Markdown table."""
    lines = [["operation", *ARCHITECTURES], ["---"] * (1 + len(ARCHITECTURES))]
    lines += [[row.title(), *(row.cells[arch].says for arch in ARCHITECTURES)] for row in ROWS]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
