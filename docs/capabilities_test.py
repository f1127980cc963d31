"""The tests that docs/capabilities.md and docs/tlx_amd.md name exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("capabilities.md").read_text()
TABLES = PAGE + Path(__file__).with_name("tlx_amd.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w/]+\.py::\w+)`", TABLES)))


@pytest.mark.parametrize("named", NAMED)
def test_named_test_exists(named: str) -> None:
    path, name = named.split("::")
    tree = ast.parse((ROOT / path).read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in functions


def test_every_capability_names_one() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 11
    assert [row for row in rows if ".py::test_" not in row] == []
