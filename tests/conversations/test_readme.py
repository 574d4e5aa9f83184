"""The tables in README.md name every folder, and for every tag its meaning and its conversations."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from assistant.replay.cassette_file import find, load
from tests.support.cassettes import CASSETTES

_HERE = Path(__file__).parent
_README = (_HERE / "README.md").read_text(encoding="utf-8")
_TAG = re.compile(r"^\| `(?P<tag>[^`]+)` \| (?P<meaning>[^|]+) \| (?P<files>[^|]*) \|$", re.MULTILINE)
_FOLDER = re.compile(r"^\| `(?P<folder>\w+)/` \| [^|]+ \|$", re.MULTILINE)


def test_every_conversation_is_in_the_rows_of_its_tags() -> None:
    tagged: dict[str, list[str]] = defaultdict(list)
    for name, path in CASSETTES.items():
        for tag in load(path).cassette.tags:
            tagged[tag].append(name)

    rows = {row["tag"]: row["files"] for row in _TAG.finditer(_README)}

    wanted = {tag: ", ".join(sorted(names)) for tag, names in tagged.items()}
    assert {tag: files for tag, files in wanted.items() if rows.get(tag) != files} == {}
    assert sorted(rows) == sorted(wanted)


def test_every_conversation_has_a_tag() -> None:
    assert [name for name, path in CASSETTES.items() if not load(path).cassette.tags] == []


def test_every_conversation_is_in_a_listed_folder_with_a_unique_name() -> None:
    paths = find([_HERE])

    assert [name for name, times in Counter(path.name for path in paths).items() if times > 1] == []
    assert sorted({path.parent.name for path in paths}) == _FOLDER.findall(_README)
