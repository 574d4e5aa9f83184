"""What a line must not be cut inside of: emphasis, code, links, parentheses."""

import re
from typing import Final

_WHOLE: Final = re.compile(
    r"`+[^`\n]+`+"
    r"|!?\[[^\]\n]*\](?:\([^)\n]*\))?"
    r"|(?<!\w)(?P<mark>\*{1,3}|_{1,3}|~~)(?=\S)[^\n]*?\S(?P=mark)(?!\w)"
    r"|(?<!\w)\([^()\n]*\)"
    r"|<[a-z/!][^>\n]*>"
)
_OPENS: Final = re.compile(r"`|\[|(?<!\w)(?:\*{1,3}|_{1,3}|~~)(?=\S)|(?<!\w)\((?=\S)|<(?=[a-z/!])")


def where(line: str, cut: int) -> bool | None:
    """Whether the line may be cut there; None while it is not known, for something is open that may yet be closed.

    >>> where("**Note. It", 8), where("**Note. It is.** Now", 8), where("**Note.** It", 10)
    (None, False, True)
    """
    at = 0
    while (whole := _WHOLE.search(line, at)) is not None and whole.start() < cut:
        if _OPENS.search(line[at : whole.start()]):
            break
        if whole.end() > cut:
            return False
        at = whole.end()
    return None if _OPENS.search(line, at, cut) else True
