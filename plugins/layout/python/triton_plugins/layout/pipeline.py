"""The passes of the layout plugin, beside stock Triton's.

ttgir  layout_enter_ttgpuir       hide the ops from the conversion
       convert_to_ttgpuir         stock
       layout_exit_ttgpuir
       coalesce                   stock; other plugins have said which warps run what
       layout_resolve             layouts that the kernel names
       ...                        stock
       layout_resolve             layouts of other tensors, which are known by now
       remove_layout_conversions  stock, the last run
       ...                        stock
       canonicalizer              stock, the last run
       layout_lower               only stock ops from here on
"""

from triton_plugins import Pipeline, Step

PIPELINE = (
    Pipeline("layout")
    .insert_before("ttgir", "convert_to_ttgpuir", "layout_enter_ttgpuir")
    .insert_after("ttgir", "convert_to_ttgpuir", "layout_exit_ttgpuir")
    .insert_after("ttgir", "coalesce", "layout_resolve")
    .insert_before(
        "ttgir",
        "remove_layout_conversions",
        Step("layout_resolve", ("finish=true",)),
        occurrence="last",
    )
    .insert_after("ttgir", "canonicalizer", "layout_lower", occurrence="last")
)

# What `layout-optimize` is made of; for `triton_plugins.use`. Behind the last run of the stock
# pass, which moves conversions too, and before those that order instructions.
OPTIMIZE = Pipeline("layout optimize").insert_after(
    "ttgir",
    "remove_layout_conversions",
    "layout_merge_conversions",
    "layout_hoist_conversions",
    "layout_rematerialize",
    "layout_shrink_conversions",
    occurrence="last",
)
