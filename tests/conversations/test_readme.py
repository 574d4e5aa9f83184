"""The table in README.md says of every conversation what it is an example of, and of every word what it means."""

import re
from collections import defaultdict
from pathlib import Path

from assistant.replay.cassette_file import find, load

_HERE = Path(__file__).parent
_ROW = re.compile(r"^\| `(?P<word>[^`]+)` \| (?P<meaning>[^|]+) \| (?P<files>[^|]*) \|$", re.MULTILINE)


def test_every_conversation_stands_in_the_rows_that_it_covers() -> None:
    covered: dict[str, list[str]] = defaultdict(list)
    for path in find([_HERE]):
        for word in load(path).cassette.tags:
            covered[word].append(path.name.removesuffix(".conversation.yaml"))

    table = (_HERE / "README.md").read_text(encoding="utf-8")
    rows = {row["word"]: row["files"] for row in _ROW.finditer(table)}

    wanted = {word: ", ".join(sorted(names)) for word, names in covered.items()}
    assert {word: files for word, files in wanted.items() if rows.get(word) != files} == {}
    assert sorted(rows) == sorted(wanted)


def test_every_conversation_is_an_example_of_something() -> None:
    assert [path.name for path in find([_HERE]) if not load(path).cassette.tags] == []
