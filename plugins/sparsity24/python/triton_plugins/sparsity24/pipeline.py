"""The passes that sparsity24's ops need, beside stock Triton's.

ttir                                  the kernel's ops
ttgir  sparsity24_expand_compression  compress and decompress become stock ops
       sparsity24_enter_ttgpuir       hide sparse_dot from the conversion
       convert_to_ttgpuir             stock
       sparsity24_exit_ttgpuir
       coalesce, ...                  stock
       accelerate_matmul              stock: the layouts of tl.dot
       sparsity24_accelerate_dot      the layouts of sparse_dot
       pipeline, ...                  stock: what sparse_dot reads is loaded ahead
       sparsity24_overlap_dots        a product runs while the next one is prepared (sm_90)
llir   to_llvmir                      stock: everything but sparse products
       sparsity24_lower_dots
cubin  metadata_check.check           a product that runs keeps its metadata's register (sm_90)
"""

from triton_plugins import Pipeline, on

from . import metadata_check

PIPELINE = (
    Pipeline("sparsity24")
    .insert_before(
        "ttgir",
        "convert_to_ttgpuir",
        "sparsity24_expand_compression",
        "sparsity24_enter_ttgpuir",
    )
    .insert_after("ttgir", "convert_to_ttgpuir", "sparsity24_exit_ttgpuir")
    .insert_after("ttgir", "accelerate_matmul", "sparsity24_accelerate_dot")
    .insert_after("ttgir", "pipeline", "sparsity24_overlap_dots", when=on("cuda", 90))
    .insert_after("llir", "to_llvmir", "sparsity24_lower_dots")
    .append("cubin", metadata_check.check, when=on("cuda", 90))
)
