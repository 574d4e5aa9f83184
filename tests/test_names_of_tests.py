"""The names of tests stay short enough to be read in a list."""

import re
from pathlib import Path

LONGEST = 69


def test_names_of_tests_are_under_seventy_characters() -> None:
    files = sorted(Path(__file__).parent.glob("**/test_*.py"))
    names = [(file.name, name) for file in files for name in re.findall(r"def (test_\w+)", file.read_text())]

    assert len(names) > 1000
    assert [f"{file}: {name}" for file, name in names if len(name) > LONGEST] == []
