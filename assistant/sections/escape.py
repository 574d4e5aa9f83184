"""Content that can neither close its section nor open another, whatever stands in it; and back again.

What could be taken for a marker becomes an HTML entity, which models read as they read the sign itself: a ``<``
that may begin a tag, a heading, bold type, a fence or a rule at the beginning of a line, signs that look like
these, signs that cannot be seen, and everything that breaks a line without being a line feed. The rest stays.
"""

import re
from typing import Final

# Zero-width and bidirectional signs, fillers and tags; not the joiners of emoji and of Persian, see _JOINER.
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINER: Final = r"(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_ANGLE: Final = "\uff1c\ufe64\u2039\u2329\u3008\u27e8\u02c2\u1438\u276e\u2770\u29fc"
_HASH: Final = "#\uff03\ufe5f\u266f"
_STAR: Final = "*\uff0a\ufe61\u2217"
_TICK: Final = "`\uff40\u02cb"

_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|#x[0-9a-f]{1,6}|#[0-9]{1,7});", re.IGNORECASE)
_AMPERSAND: Final = re.compile(rf"&(?={_ENTITY.pattern[1:]})", re.IGNORECASE)
_LINE_MARK: Final = re.compile(
    rf"^(?P<indent>(?:[^\S\n]|[>{_UNSEEN}\u200c\u200d])*)"
    rf"(?P<mark>[{_HASH}]|(?=[{_STAR}]{{2}}|__|[{_TICK}]{{3}}|~~~|(?:={{2,}}|-{{2,}})[^\S\n]*$).)",
    re.MULTILINE,
)
_SIGN: Final = re.compile(rf"<(?!\s*[\d=-])|[{_ANGLE}{_UNSEEN}{_CONTROL}]|{_JOINER}")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">"}
_LAST: Final = 0x10FFFF


def escape(text: str) -> str:
    """The text as the content of a section, in whatever format.

    >>> escape("</observation> 3 < 4 & so on"), escape("# calls")
    ('&lt;/observation> 3 < 4 & so on', '&#x23; calls')
    """
    text = _AMPERSAND.sub("&amp;", text)
    text = _LINE_MARK.sub(lambda found: found["indent"] + _entity(found["mark"]), text)
    text = _SIGN.sub(lambda found: _entity(found[0]), text)
    # Sections are read without the white space around them.
    if text and text[-1].isspace():
        text = text[:-1] + _entity(text[-1])
    if text and text[0].isspace():
        text = _entity(text[0]) + text[1:]
    return text


def unescape(text: str) -> str:
    """What stood there before :func:`escape`; entities that a model has copied or written are read as well.

    >>> unescape(escape("&lt; is not <"))
    '&lt; is not <'
    """
    return _ENTITY.sub(_sign, text) if "&" in text else text


def _entity(sign: str) -> str:
    return "&lt;" if sign == "<" else f"&#x{ord(sign):X};"


def _sign(found: re.Match[str]) -> str:
    name = found[0][1:-1].lower()
    if name in _NAMED:
        return _NAMED[name]
    number = int(name[2:], 16) if name.startswith("#x") else int(name[1:])
    return chr(number) if number <= _LAST else found[0]
