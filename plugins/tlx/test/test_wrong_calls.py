"""What calls of operations that cannot be are told, with the kernel's line."""

import re

import pytest
import triton

import triton_plugins
from plugins.tlx.test import wrong_kernels as kernels

HOPPER, AMPERE, MI300 = "cuda:90", "cuda:80", "hip:gfx942"

ON_HOPPER = {
    "several_barriers": "barrier_wait needs one barrier, but got 2; take one by its index",
    "no_barriers": "argument 'num_barriers' must be 1 or more, but is 0",
    "shape_of_a_number": "'shape' must be a tuple of ints known at compile time, but is 64",
    "empty_buffer": "a buffer needs one or more positive dimensions, but has [2, 0, 64]",
    "third_phase": "argument 'phase' must be 0 or 1, the parity of a phase, but is 2",
    "no_barrier": "barrier_wait needs a barrier of tlx.alloc_barriers, but got",
    "no_token": "'tokens' must hold tokens of asynchronous copies, but has",
    "unknown_fence": "fence takes 'async_shared', 'gpu' or 'sys', not 'cta'",
    "several_pointers": "buffer_load needs one pointer for all offsets, but got",
    "other_without_mask": "buffer_load has 'other' but no mask that says where",
    "no_descriptor": "async_descriptor_store needs a tensor descriptor, but got",
    "cached_copy": "TMA has no cache modifiers, but cache_modifier is",
    "unknown_policy": "'eviction_policy' is 'never'; it must be '', 'evict_first' or 'evict_last'",
    "unknown_reduction": "argument 'store_reduce' is 'mul'; it must be '', 'add', 'min', 'max'",
    "product_with_barriers": "async_dot has pred=, mBarriers= and two_ctas= on Blackwell (sm_100)",
    "unknown_precision": "argument 'input_precision' is 'tf16', which Triton does not know",
    "two_for_one": "the body of warp_predicate returns 2 values, but carries 1",
    "unknown_register_class": 'argument \'register_class\' must be "agpr" or "vgpr", but is',
    "spanning_layout": "a layout that spans blocks of a cluster cannot be given",
    "reused_number": "reuse= must be buffers of tlx.local_alloc or a tlx.storage_alias_spec",
    "slice_of_several": "local_slice needs one buffer, but got 2; take one with tlx.local_view",
    "view_of_a_view": "argument 'buffer' is one buffer already",
    "unknown_dimension": "argument 'dims' names dimension 2 of a buffer with 2",
    "copy_of_values": "argument 'pointers' must be a tensor of pointers",
    "store_to_a_number": "argument 'dst_global_ptr' must be one pointer",
    "storage_of_clusters": "takes storage_kind.smem, not",
    "overlap_of_a_buffer": "set_buffer_overlap needs a tlx.reuse_group, but got",
    "group_of_a_number": "a reuse_group holds buffers of local_alloc and reuse_groups, not",
    "unknown_cache": "argument 'cache_modifier' is '.wb'; it must be '', '.ca' or '.cg'",
    "size_of_a_copy": "bulk_size and barrier are for a bulk async_load; add bulk=True",
    "operand_without_width": "dot_operand_layout needs k_width, which the parent does not tell",
    "vote_about_a_number": "vote_any asks about tensors of bools, but got",
    "reduced_integers": "warp_redux reduces float32 tensors, but got",
    "name_of_an_integer": "get_fp8_format_name knows float8e5 and float8e4nv, but got",
}
ON_AMD = {
    "no_descriptor": "async_descriptor_store needs TMA, which sm_90 has and gfx942 has not",
    "nvidia_register": "thread_id is an instruction of NVIDIA's GPUs",
    "nvidia_vote": "vote_any is an instruction of NVIDIA's GPUs",
    "nvidia_fence": "fence('gpu') is an instruction of NVIDIA's GPUs",
    "bulk_copy": "async_store needs cp.async.bulk, which sm_90 has and gfx942 has not",
}
ON_AMPERE = {
    "cluster_rank": "cluster_cta_rank needs clusters of blocks, which sm_90 has and sm_80 has not",
    "bulk_copy": "async_store needs cp.async.bulk, which sm_90 has and sm_80 has not",
}
CASES = [
    (target, name, message)
    for target, cases in [(HOPPER, ON_HOPPER), (MI300, ON_AMD), (AMPERE, ON_AMPERE)]
    for name, message in cases.items()
]


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


@pytest.mark.parametrize(("target", "name", "message"), CASES)
def test_wrong_calls_are_told_why(target, name, message):
    kernel = getattr(kernels, name)
    argument = kernel.arg_names[0]
    signature = {"src": "*fp32:16", "desc": "tensordesc<fp16[64, 64]>"}[argument]
    with pytest.raises(triton.CompilationError) as caught:
        triton_plugins.compile(
            kernel, signature={argument: signature}, constexprs={}, target=target
        )
    assert message in str(caught.value) or message in str(caught.value.__cause__)
    assert re.search(rf"def {name}\(|at \d+:\d+", str(caught.value))
