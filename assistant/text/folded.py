"""A text of a template as customers read it: one paragraph, but for its Markdown tables."""

import re
from typing import Final

_TABLE: Final = re.compile(r"^[^\S\n]*\|.*\n[^\S\n]*\|[\s:|-]+$(?:\n[^\S\n]*\|.*$)*", re.MULTILINE)


def folded(text: str) -> str:
    r"""Fold the white space of a text. A table keeps its lines, and stands by itself.

    >>> folded("You owe\n  $150.  ")
    'You owe $150.'
    >>> folded("You owe:\n| for | amount |\n| --- | --- |\n| lenses | $30 |\nPlease pay.")
    'You owe:\n\n| for | amount |\n| --- | --- |\n| lenses | $30 |\n\nPlease pay.'
    """
    if "|" not in text:
        return " ".join(text.split())
    blocks: list[str] = []
    after = 0
    for table in _TABLE.finditer(text):
        blocks.append(" ".join(text[after : table.start()].split()))
        blocks.append("\n".join(" ".join(line.split()) for line in table[0].splitlines()))
        after = table.end()
    blocks.append(" ".join(text[after:].split()))
    return "\n\n".join(filter(None, blocks))
