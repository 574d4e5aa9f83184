"""Code fences, which models put around what they were not asked to put any around."""

import re
from typing import Final

FENCE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*$")
"""A line that opens or closes a fence."""

_BARE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*$")


def without_fence(content: str) -> str:
    r"""The content without a fence around all of it, and without one end of a fence that stood outside.

    >>> without_fence("```json\n[1]\n```"), without_fence("[1]\n```")
    ('[1]', '[1]')
    """
    lines = content.strip().split("\n")
    fences = [place for place, line in enumerate(lines) if FENCE.match(line)]
    if len(fences) == 2 and fences[0] == 0 and fences[1] == len(lines) - 1:
        lines = lines[1:-1]
    elif len(fences) == 1 and fences[0] == 0 and len(lines) > 1:
        lines = lines[1:]
    elif len(fences) % 2 and _BARE.match(lines[-1]):
        lines = lines[:-1]
    return "\n".join(lines).strip()
