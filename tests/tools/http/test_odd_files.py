"""Odd files of HTTP tools are read, or reported with their places."""

import pytest

from tests.tools.http.conftest import ReadFile


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("a = " + "[" * 5000, "shop.http.toml:1: not valid TOML: nested too deeply"),
        (
            '[api]\nbase_url = "https://shop.example"\ntimeout_s = nan\n[tools.find]\npath = "/"\n'
            'description = "Find."\nwaiting_hint = ""',
            "timeout_s",
        ),
        (
            '[api]\nbase_url = "https://shop.example"\nauth = {bearer = "A", header = {authorization = "B"}}\n'
            '[tools.find]\npath = "/"\ndescription = "Find."\nwaiting_hint = ""',
            "shop.http.toml:3: auth",
        ),
        (
            '[api]\nbase_url = "https://shop.example"\nauth = {bearer = "A", basic = ["B", "C"]}\n'
            '[tools.find]\npath = "/"\ndescription = "Find."\nwaiting_hint = ""',
            "shop.http.toml:3: auth",
        ),
        (
            '[api]\nbase_url = "https://shop.example"\n[tools.find]\npath = "/{n}"\ndescription = "Find."\n'
            'waiting_hint = ""\n[tools.find.params]\nn = {type = "string", description = "n", pattern = "("}',
            "is not a 'regex'",
        ),
    ],
)
def test_odd_files_are_reported_with_their_places(read: ReadFile, source: str, told: str) -> None:
    mistakes = read(source).mistakes

    assert any(told in str(mistake) for mistake in mistakes), mistakes


def test_a_file_may_begin_with_a_byte_order_mark(read: ReadFile) -> None:
    source = (
        '[api]\nbase_url = "https://shop.example"\n[tools.find]\npath = "/"\ndescription = "Find."\n'
        'waiting_hint = ""'
    )

    assert read("\ufeff" + source).mistakes == ()
