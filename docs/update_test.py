"""What is generated in docs/ is up to date."""

from pathlib import Path

import pytest

from docs import update


@pytest.mark.parametrize("name", update.GENERATED)
def test_page_is_up_to_date(name: str) -> None:
    found = Path(__file__).with_name(name).read_text()
    assert found == update.page(update.GENERATED[name]), "run ./bazelw run //docs:update"


def test_the_table_of_operations_is_up_to_date():
    found = Path(__file__).with_name(update.MODEL).read_text()
    assert found == update.with_table(found), "run ./bazelw run //docs:update"
