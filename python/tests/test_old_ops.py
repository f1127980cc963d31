"""Results of plugin ops on Triton 3.7, where they are looked up in the module. What a real one
makes of it is tested in //tests/other_tritons."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from triton_plugins import OpError, old_ops


class Block:
    """A block whose operations are numbers of results."""

    def __init__(self) -> None:
        self.operations: list[int] = []

    def id(self):
        return id(self)


class Generator:
    """What Triton's code generator holds while it compiles a kernel."""

    def __init__(self, made):
        self.block, other = Block(), Block()
        self.block.operations = [1]
        other.operations = [1, 1]
        self.builder = SimpleNamespace(
            get_insertion_block=lambda: self.block, get_int1=lambda value: ("slot", value)
        )
        self.module = SimpleNamespace(walk=lambda visit: self._walk(visit, other, self.block))
        self.made = made
        self.operands = None

    @staticmethod
    def _walk(visit, *blocks):
        visit(SimpleNamespace(get_block=lambda: None))
        for block in blocks:
            for index, results in enumerate(block.operations):
                visit(
                    SimpleNamespace(
                        get_block=lambda block=block: block,
                        get_num_results=lambda results=results: results,
                        get_result=lambda number, index=index: (index, number),
                    )
                )

    def create(self, operands):
        self.operands = operands
        self.block.operations += self.made

    def visit_call(self, *operands):
        return old_ops.with_result(self.builder, self.create, "x_op")(operands)


def test_result():
    generator = Generator([1])
    assert generator.visit_call("a", "b") == (1, 0)
    # The slot for the result is in front; what it holds does not matter.
    assert generator.operands == ["a", "a", "b"]


def test_no_result_and_no_operands():
    generator = Generator([0])
    assert generator.visit_call() is None
    assert generator.operands == [("slot", False)]


@pytest.mark.parametrize("made", [[], [1, 1]])
def test_which_operation_is_unknown(made):
    with pytest.raises(OpError, match=f"x_op: the plugin made {len(made)} operations"):
        Generator(made).visit_call("a")


def test_outside_of_a_kernel():
    with pytest.raises(OpError, match="only while Triton compiles a kernel"):
        old_ops.with_result(SimpleNamespace(), print, "x_op")([])
