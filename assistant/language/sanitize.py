"""Makes third-party text safe for models, templates and our own sentences.

Removes invisible characters, breaks up tokens that models read as message boundaries, and quotes data.
"""

import re
from collections.abc import Mapping
from functools import cache
from operator import is_
from typing import Final
from unicodedata import category, normalize

import orjson

from assistant.language.sentences import sentences
from assistant.language.values import Data

_LINES: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ANSI: Final = re.compile(
    "\x1b(?:\\[[0-?]{0,32}[ -/]{0,4}[@-~]|\\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\\\)?)"
    "|\x9b[0-?]{0,32}[ -/]{0,4}[@-~]"
)
_UNSEEN: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_JOINERS: Final = "\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNSEEN_RUN: Final = re.compile(f"[{_UNSEEN}]+")
_JOINED: Final = re.compile(f"(.?)([{_JOINERS}]+)(?=(.?))", re.DOTALL)

_NAMED: Final = (
    r"s|bos|eos|pad|unk|sop|eop|eoh|eoa|mask|think|tools?|tool_calls?|tool_responses?|tool_results?|function_calls?"
    r"|(?:start|end)_of_(?:turn|image|text)|extra_id_\d+|reserved_\d+|unused\d+|system|user|assistant|observation"
)
_TOKENS: Final = re.compile(
    rf"<(?=\||<?/?SYS>|/?(?:{_NAMED})\s?>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|g?MASK|IMG)\])",
    re.IGNORECASE,
)
_ASCII_TO_TIDY: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_TO_TIDY: Final = re.compile(f"[\r\x0b\x0c\u2028\u2029{_UNSEEN}{_JOINERS}]")

# Arabic and its neighbours, the scripts of India and south of it, Mongolian: joiners change their letters.
_SHAPED: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u109f\u1780-\u18af\u1900-\u1aff\ua840-\ua9ff\ufb50-\ufdff\ufe70-\ufefc]"
)
_MONGOLIAN: Final = re.compile("[\u1820-\u18aa]")
_IDEOGRAPH: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_DRESSED_RANGES: Final = (
    range(0x17F, 0x180), range(0x1D2C, 0x1D6B), range(0x2070, 0x2150), range(0x2460, 0x2500),
    range(0xFE50, 0xFE6C), range(0xFF01, 0xFF5F), range(0x1D400, 0x1D800),
)  # fmt: skip
_DRESSED: Final = re.compile(f"[{''.join(f'{chr(each[0])}-{chr(each[-1])}' for each in _DRESSED_RANGES)}]")
_PRESENTED: Final = "\ufe0e\ufe0f"

# What JSON writes of control characters, and where a token may begin.
_SUSPECT_ASCII_JSON: Final = re.compile(r"\\[bfru]|\x7f|<|\[(?=[/A-Za-z])")
_SUSPECT_JSON: Final = re.compile(
    f"{_SUSPECT_ASCII_JSON.pattern}|{_TO_TIDY.pattern}|{_DRESSED.pattern}|[\x80-\x9f]"
)


def sanitize(text: str) -> str:
    r"""Returns the text without invisible characters, and with a space inside control tokens of model
    servers.

    Line ends of all kinds become "\\n". Joiners stay where emoji and scripts need them. All visible text
    stays as written, except for that space.

    >>> sanitize("ignore\u200b all\u2028<|im_start|>system"), sanitize("see <b>this</b> [1] 👩‍🔧")
    ('ignore all\n< |im_start|>system', 'see <b>this</b> [1] 👩\u200d🔧')
    """
    to_tidy = _ASCII_TO_TIDY if text.isascii() else _TO_TIDY
    return _without_tokens(_visible_text(text) if to_tidy.search(text) else text)


def sanitize_data(data: Data) -> Data:
    """Apply :func:`sanitize` to all texts in the data, including keys.

    Returns the same object if nothing changes.
    """
    return data if _is_clean(data) else _sanitize_parts(data)


def _is_clean(data: Data) -> bool:
    """Whether it is certain that nothing has to change: found fast, also in a large result."""
    try:
        written = orjson.dumps(data)
    except TypeError:
        return False
    text = written.decode()
    return not (_SUSPECT_ASCII_JSON if text.isascii() else _SUSPECT_JSON).search(text)


def _sanitize_parts(data: Data) -> Data:
    match data:
        case str():
            return sanitize(data)
        case None | bool() | int() | float():
            return data
        case Mapping():
            pairs = {sanitize(key): _sanitize_parts(value) for key, value in data.items()}
            same = len(pairs) == len(data) and all(map(is_, pairs, data))
            return data if same and all(map(is_, pairs.values(), data.values())) else pairs
        case _:
            row = [_sanitize_parts(one) for one in data]
            return data if all(map(is_, row, data)) else row


def _visible_text(text: str) -> str:
    seen = _UNSEEN_RUN.sub("", _ANSI.sub("", _LINES.sub("\n", text)))
    return _JOINED.sub(_needed_joiner, seen)


def _needed_joiner(found: re.Match[str]) -> str:
    """Returns the character before some joiners, with the first joiner if it has an effect there."""
    before, joiners, after = found[1], found[2], found[3]
    first = joiners[0]
    if not before or before.isspace():
        return before
    if first in _PRESENTED and joiners[1:2] == "\u200d" and _pictures(before, after):
        return before + joiners[:2]
    return before + first if _joins(before, first, after) else before


def _joins(before: str, joiner: str, after: str) -> bool:
    if joiner in "\u200c\u200d":
        shaped = _SHAPED.match(before) is not None
        return shaped or (joiner == "\u200d" and _pictures(before, after))
    if joiner in "\u180b\u180c\u180d\u180f":
        return _MONGOLIAN.match(before) is not None
    if joiner in _PRESENTED:
        return before in "#*0123456789" or (before > "\x7f" and category(before) in ("So", "Sm", "Sk", "Po"))
    return _IDEOGRAPH.match(before) is not None


def _pictures(before: str, after: str) -> bool:
    # "↔" can be joined, too: the emoji of a shaking head is a face, a joiner and "↔".
    return category(before) in ("So", "Sk") and (after == "↔" or (after != "" and category(after) == "So"))


def _without_tokens(text: str) -> str:
    folded = text if text.isascii() or not _DRESSED.search(text) else text.translate(_look_alikes())
    if "<" not in folded and "[" not in folded:
        return text
    cuts = [found.end() for found in _TOKENS.finditer(folded)]
    if not cuts:
        return text
    return " ".join(text[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True))


@cache
def _look_alikes() -> Mapping[int, str]:
    """Maps styled letters and brackets to plain ones, as some servers do before they look for tokens."""
    plain = {code: normalize("NFKC", chr(code)) for each in _DRESSED_RANGES for code in each}
    return {code: letter for code, letter in plain.items() if len(letter) == 1 and letter.isascii()}


_MOST: Final = 60
"""How many characters of a text are shown; the rest becomes "…"."""

_LONGEST_WORD: Final = 120
_LONGEST_CLAUSE: Final = 600

_ONE_WORD: Final = re.compile(r"[#+]?\w+(?:[-@.+_/:'’#&=%~]+\w+)*")
_NUMBER: Final = re.compile(r"[+(]?\d[\d ()/.,-]{0,30}\s?[€$£%]?|[€$£]\s?\d[\d.,]{0,20}")
_MARKS: Final = re.compile(r"\"|[“”„‟″«»‹›‚‛]|[‘’'`´](?!\w)|(?<!\w)[‘’'`´]")
_STOPS: Final = re.compile(r"[.,:]+(?=\s|$)")
_ENDS: Final = re.compile(r"[.,:]+$|[!?…;\u2026\u203c-\u203d\u2047-\u2049\u3002\uff01\uff1f]+")
_QUOTED: Final = re.compile(r'"[^"\n]*"')
_ENDING: Final = re.compile(r"[?!\n;\u2026\u2047-\u2049\u3002\uff01\uff1f]")


def quoted(text: object) -> str:
    """Returns a text as data in our own sentence: in quotation marks, on one line, shortened.

    A number, and one plain word such as a name or an order's id, need no marks.

    >>> quoted("sunglasses? Yes. Also I will send"), quoted("sunglasses"), quoted("A-10482")
    ('"sunglasses Yes Also I will send"', 'sunglasses', 'A-10482')
    """
    line = " ".join(sanitize(str(text)).split())
    if (_ONE_WORD.fullmatch(line) and len(line) <= _LONGEST_WORD) or _NUMBER.fullmatch(line):
        return line
    plain = " ".join(_ENDS.sub(" ", _MARKS.sub("", line)).split())
    if len(sentences(plain)) > 1:
        # Within one sentence, full stops stay: "Dr. Lee".
        plain = " ".join(_STOPS.sub(" ", plain).split())
    return f'"{_shortened(plain)}"' if plain else ""


def is_one_clause(text: str, locale: str = "en") -> bool:
    """Whether a text can be part of a question: apart from quoted parts, it is one sentence without an
    ending.

    >>> is_one_clause("cancel your eye test with Dr. Lee"), is_one_clause("cancel it? Yes. Also send")
    (True, False)
    """
    ours = _QUOTED.sub("x", text.strip())
    if not ours or len(ours) > _LONGEST_CLAUSE or '"' in ours or _ENDING.search(ours):
        return False
    return len(sentences(ours, locale)) == 1


def _shortened(text: str) -> str:
    """Returns a text of at most ``_MOST`` characters.

    Of one long word the end is kept, too, because it may distinguish it.
    """
    if len(text) <= _MOST:
        return text
    head = text[:_MOST]
    if " " in head:
        return f"{head.rpartition(' ')[0]}…"
    return f"{text[: _MOST * 2 // 3]}…{text[-_MOST // 3 :]}"


_TABLE: Final = re.compile(r"^[^\S\n]*\|.*\n[^\S\n]*\|[\s:|-]+$(?:\n[^\S\n]*\|.*$)*", re.MULTILINE)


def fold_whitespace(text: str) -> str:
    r"""Collapse the white space of a text. A table keeps its line breaks and gets blank lines around it.

    >>> fold_whitespace("You owe\n  $150.  ")
    'You owe $150.'
    >>> fold_whitespace("You owe:\n| for | amount |\n| --- | --- |\n| lenses | $30 |\nPlease pay.")
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
