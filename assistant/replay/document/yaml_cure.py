"""What usually helps where a file is no YAML: the reader of YAML only says what it stumbled over."""

from typing import Final

_CURES: Final = (
    (
        "mapping values are not allowed",
        'a text with ": " in it needs quotes ("Tell me: what?"); else this line is not indented as those beside it',
    ),
    (
        "but found '<block mapping start>'",
        "this line is not indented as those beside it; a scene whose first line is a call begins with scene: |2",
    ),
    (
        "but found '<scalar>'",
        "a text that begins with a quotation mark ends with it; put the whole text into the other kind of quotes",
    ),
    ("character '\\t'", "indent with spaces, not with tabs"),
    ("that cannot start any token", "a text that begins with this character needs quotes"),
    ("undefined alias", "a text that begins with * needs quotes"),
    ("unexpected end of stream", "a quotation mark is not closed"),
)
"""What PyYAML says, and the cure; the first that fits."""


def yaml_cure(problem: str) -> str:
    """The cure, to stand after the problem; "" where none is known.

    >>> yaml_cure("found undefined alias 'abc'")
    '; a text that begins with * needs quotes'
    """
    return next((f"; {cure}" for said, cure in _CURES if said in problem), "")
