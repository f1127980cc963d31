"""The generated pages in docs/ are those of the .td files."""

from pathlib import Path

import pytest

from docs import update


@pytest.mark.parametrize("name", update.GENERATED)
def test_page_is_up_to_date(name: str) -> None:
    found = Path(__file__).with_name(name).read_text()
    assert found == update.page(update.GENERATED[name]), "run ./bazelw run //docs:update"
