"""Each cell of the table of operations compiles to what it says, or is refused as it says."""

import inspect
import re

import pytest
import triton

import triton_plugins
import triton_plugins.tlx as tlx
from plugins.tlx.test import operation_kernels
from plugins.tlx.test.operations import ARCHITECTURES, ROWS

CELLS = [(row, architecture) for row in ROWS for architecture in ARCHITECTURES]


def _name(value) -> str:
    return value if isinstance(value, str) else value.kernel


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


@pytest.mark.parametrize(("row", "architecture"), CELLS, ids=_name)
def test_a_cell_is_what_it_says(row, architecture):
    cell = row.cells[architecture]
    kernel = getattr(operation_kernels, row.kernel)

    options = {"num_warps": 8 if row.kernel == "stages" else 4}
    if row.num_ctas > 1 and architecture == "sm_90":
        options["num_ctas"] = row.num_ctas

    def compile():
        return triton_plugins.compile(
            kernel,
            signature=row.signature,
            constexprs={},
            target=ARCHITECTURES[architecture],
            options=options,
        )

    if cell.is_error:
        with pytest.raises((triton.CompilationError, triton_plugins.PassError)) as caught:
            compile()
        assert re.search(cell.finds, str(caught.value))
    else:
        asm = compile().asm
        assert re.search(cell.finds, asm.get("ptx") or asm["amdgcn"])


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_the_kernel_of_a_row_uses_its_operations(row):
    source = inspect.getsource(operation_kernels)
    for name in row.operations:
        if row.kernel != "scaled_product":
            assert f"tlx.{name.partition('(')[0]}(" in source


@pytest.mark.parametrize("name", ROWS[-1].operations)
def test_what_only_blackwell_has_is_refused(name):
    with pytest.raises(triton_plugins.OpError, match=rf"{name} needs .*Blackwell \(sm_100a\) has"):
        getattr(tlx, name).fn()


def test_every_operation_has_a_row():
    named = {name for row in ROWS for name in row.operations}
    public = {name for name in tlx.__all__ if not isinstance(getattr(tlx, name), type)}
    layouts = {name for name in public if name.endswith("_layout")} - {"require_layout"}
    assert public - layouts - {"PIPELINE"} - named <= {"release_layout"}
