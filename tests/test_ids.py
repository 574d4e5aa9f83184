"""Ids sort by time and never repeat; secrets are long."""

import re

from assistant.ids import SystemIds
from assistant.ports import Ids


def test_it_implements_the_port() -> None:
    ids: Ids = SystemIds()

    assert ids.new()


def test_ids_are_short_and_safe_in_urls_and_on_any_disk() -> None:
    assert re.fullmatch(r"[0-9a-v]{26}", SystemIds().new())


def test_ids_are_unique_and_sort_by_time() -> None:
    ids = SystemIds()
    made = [ids.new() for _ in range(2_000)]

    assert made == sorted(set(made))


def test_secrets_are_long_and_unique() -> None:
    ids = SystemIds()

    assert len(ids.secret()) >= 43
    assert ids.secret() != ids.secret()
