"""Every subset of the plugins, loaded in every order, gives the machine code of each alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import orders
from orders import PLUGINS, STOCK, TARGETS

ORDERS = [
    order for count in range(len(PLUGINS) + 1) for order in itertools.permutations(PLUGINS, count)
]


def test_there_are_64_orders_of_15_subsets() -> None:
    assert len(ORDERS) == 65 and () in ORDERS
    assert len({frozenset(order) for order in ORDERS if order}) == 15


def test_machine_code_is_that_of_each_plugin_alone(new_processes: Callable[..., Any]) -> None:
    found = dict(zip(ORDERS, new_processes(orders.machine_code, *ORDERS), strict=True))
    alone: Mapping[tuple[str, str], str] = dict(found[()])
    for plugin in PLUGINS:
        alone |= {kernel: code for kernel, code in found[plugin,].items() if kernel not in alone}
    assert len(set(alone.values())) == len(TARGETS) * (len(PLUGINS) + 1)
    wrong = [
        f"{name} for {target} after {', '.join(order)}"
        for order, codes in found.items()
        for (name, target), code in codes.items()
        if code != alone[name, target]
    ]
    assert not wrong, f"other machine code than alone: {'; '.join(wrong)}"


def _interleaved(order: tuple[str, ...]) -> list[Mapping[tuple[str, str], str]]:
    """The machine code of all kernels so far after each plugin that is loaded."""
    return [orders.codes((STOCK, *order[:count])) for count in range(len(order) + 1)]


def test_a_plugin_that_comes_later_changes_nothing(new_processes: Callable[..., Any]) -> None:
    for found in new_processes(_interleaved, PLUGINS, PLUGINS[::-1]):
        for earlier, later in itertools.pairwise(found):
            assert later | earlier == later


def _under_pipelines(target: str) -> tuple[str, list[str]]:
    """The plain kernel without pipelines, and under those of all plugins in every order."""
    plain = orders.digest(orders.compile_for(STOCK, target))
    under = []
    for first, *others in itertools.permutations(orders.pipelines()):
        with sum(others, first):
            under.append(orders.digest(orders.compile_for(STOCK, target)))
    return plain, under


def test_passes_leave_a_kernel_alone_that_uses_no_operation(
    new_processes: Callable[..., Any],
) -> None:
    """On sm_90 those of warp_spec would specialize its loop, which is their purpose."""
    for plain, under in new_processes(_under_pipelines, "cuda:80", "gfx942"):
        assert set(under) == {plain}
