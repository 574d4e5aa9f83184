"""A file that is made to exhaust the reader is refused with its line, and does not end the process."""

import pytest

from assistant.errors import DeclarationError
from assistant.replay.yaml_reader import read_json, read_yaml

NESTED = "f.yaml:{line}: more than 100 lists or mappings within each other; write fewer"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("format: 2\nconversation: " + "[" * 20_000 + "]" * 20_000, 2),
        ("[" * 20_000, 1),
        ("{a: " * 20_000, 1),
        ("- " * 20_000, 1),
        ("".join(" " * depth + "a:\n" for depth in range(500)), 101),
    ],
    ids=["closed brackets", "open brackets", "braces", "dashes", "indents"],
)
def test_values_nested_too_deeply_are_reported_with_their_line(text: str, line: int) -> None:
    for read in (read_yaml, read_json):
        with pytest.raises(DeclarationError) as told:
            read(text, "f.yaml")

        assert str(told.value) == NESTED.format(line=line)


def test_aliases_for_billions_of_values_are_refused() -> None:
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{one}: &a{one} [{', '.join([f'*a{one - 1}'] * 9)}]" for one in range(1, 12)]

    with pytest.raises(DeclarationError) as told:
        read_yaml("\n".join(bomb), "f.yaml")

    assert str(told.value) == "f.yaml:1: aliases repeat more than 10,000 values; write them out"


def test_a_few_aliases_and_levels_are_read() -> None:
    assert read_yaml("a: &a [x]\nb: *a\nc: [*a, *a]", "f.yaml")[0] == {
        "a": ["x"],
        "b": ["x"],
        "c": [["x"], ["x"]],
    }
    assert read_yaml("[" * 100 + "]" * 100, "f.yaml")[0] != []
