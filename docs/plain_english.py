"""Counts words and phrases that plain technical English seldom needs: ``python -m docs.plain_english``.

``plain_english.toml`` holds how many each package may have. ``--lower`` writes smaller numbers into it where the
text has become better; it never writes a larger one. ``--show NAME`` prints the lines of a package.
"""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_suffix(".toml")
WORDS = re.compile(
    r"\b(?:nobody|whoever|somebody|anybody|everybody|beside|house|so (?:many|long)|stands|taken up|for good"
    r"|outliv(?:es?|ed|ing)|strangers?|reckon(?:s|ed|ing)?|heed(?:s|ed|ing)?|what becomes of|told of)\b",
    re.IGNORECASE,
)
_PLACES = (
    "assistant/**/*.py",
    "tests/**/*.py",
    "docs/**/*.md",
    "docs/**/*.py",
    "docs/**/*.j2",
    "docs/**/*.toml",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)
_GENERATED = {
    ROOT / "docs" / name
    for name in (
        "guides/locales.md",
        "reference/asyncapi.yaml",
        "reference/cassettes.md",
        "reference/cli.md",
        "reference/conversation.schema.json",
        "reference/errors.md",
        "reference/languages.md",
        "reference/log-entries.md",
        "reference/protocol.md",
        "reference/python.md",
        "reference/settings.md",
        "reference/webhooks.md",
    )
}
"""Their words are counted where they come from."""


def part_of(file: str) -> str:
    """The part of the project that a file is counted under.

    >>> part_of("assistant/turn/consent/answer.py"), part_of("assistant/ids.py"), part_of("docs/guides/tools.md")
    ('assistant/turn', 'assistant', 'docs')
    """
    folders = file.split("/")[:-1]
    return "/".join(folders[:2] if folders[:1] == ["assistant"] else folders[:1]) or file


def lines_with_words(phrases: re.Pattern[str]) -> Iterator[tuple[str, int, str, int]]:
    """File, number and text of each line that has such a word outside of the phrases, and how many."""
    files = {file for place in _PLACES for file in ROOT.glob(place)} - _GENERATED - {Path(__file__), TABLE}
    for file in sorted(files):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            count = len(WORDS.findall(phrases.sub(" ", line)))
            if count:
                yield file.relative_to(ROOT).as_posix(), number, line.strip(), count


def read_table() -> tuple[Mapping[str, int], re.Pattern[str]]:
    """How many words each part may have, and the phrases that are not counted."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return table["most"], re.compile("|".join(table["phrases"]), re.IGNORECASE)


def counted(phrases: re.Pattern[str]) -> Counter[str]:
    """How many words each part has."""
    found: Counter[str] = Counter()
    for file, _, _, count in lines_with_words(phrases):
        found[part_of(file)] += count
    return found


def too_many() -> list[str]:
    """A line for each part that has more words than it may."""
    most, phrases = read_table()
    return [
        f"{part}: {count} words that plain English seldom needs, {most.get(part, 0)} are allowed;"
        f" `python -m docs.plain_english --show {part}` shows them"
        for part, count in sorted(counted(phrases).items())
        if count > most.get(part, 0)
    ]


def _lower() -> None:
    most, phrases = read_table()
    found = counted(phrases)
    lines = [f'"{part}" = {min(count, found[part])}' for part, count in sorted(most.items()) if found[part]]
    head, _, _ = TABLE.read_text(encoding="utf-8").partition("[most]\n")
    TABLE.write_text(head + "[most]\n" + "\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Check, or do what the options say."""
    match sys.argv[1:]:
        case ["--lower"]:
            _lower()
        case ["--show", part]:
            for file, number, line, _ in lines_with_words(read_table()[1]):
                if part in (part_of(file), file):
                    sys.stdout.write(f"{file}:{number}: {line}\n")
        case _:
            if problems := too_many():
                sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
