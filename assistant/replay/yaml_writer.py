"""Writes a cassette as YAML that reads well: short forms, one line for each small value, defaults left out.

`renew` writes new frames and scenes into an existing file. Everything else, including comments, stays
unchanged.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias, cast

import yaml

from assistant.conversation.values import Json, JsonObject
from assistant.errors import DeclarationError
from assistant.replay.cassette import Cassette, Event, HeardFrame
from assistant.replay.cassette_base import CassettePart
from assistant.replay.cassette_file import load_text
from assistant.replay.expectations import Expectations, ExpectedCall, Hears
from assistant.replay.played import Played, scenes_of
from assistant.replay.replies import (
    ArgumentsPiece,
    Called,
    EndPiece,
    NamePiece,
    Reply,
    Run,
    TextPiece,
)

WIDTH = 110
"""The longest line. Longer values are split over several lines, but a text always stays on one line."""

# These keys always have one line for each item, even if all would fit into one line.
_OPEN = frozenset(
    {"turns", "replies", "tools", "results", "expect", "hears", "pieces", "frames", "meanwhile"}
)
_OPEN_ITEMS = frozenset({"turns", "replies", "results"})
_SAID = frozenset({"acknowledgement", "response", "status"})


def dump(cassette: Cassette) -> str:
    """Returns a text that ``load_text`` reads as an equal cassette. Default values are left out."""
    content = short_form(cassette)
    assert isinstance(content, Mapping)  # noqa: S101 - the form's root is a mapping
    return "".join(f"{line}\n" if line.strip() else "\n" for line in _mapping(content, WIDTH))


def entry(key: str, value: Json, room: int = WIDTH) -> list[str]:
    """Returns a key and its value, as lines. ``room`` is the most characters of the first line."""
    head = f"{scalar(key)}:"
    if isinstance(value, BlockText):
        return _lined(head, value)
    if isinstance(value, Moment):
        return [f"{head} {value}"]
    if value is None or isinstance(value, str | int | float):
        return [f"{head} {scalar(value, alone=True)}"]
    line = f"{head} {flow(value)}"
    opened = key in _OPEN or (isinstance(value, Mapping) and "pieces" in value)
    if not value or (len(line) <= room and not opened):
        return [line]
    return [head, *(f"  {line}" for line in _block(key, value, room - 2))]


def _lined(head: str, text: str) -> list[str]:
    # A block of lines needs printable characters, and an indentation indicator if it begins with a space.
    if not text or text[0] == "\n" or not all(line.isprintable() for line in text.split("\n")):
        return [f"{head} {scalar(text)}"]
    return [
        f"{head} |2" if text[0] == " " else f"{head} |",
        *(f"  {line}".rstrip() for line in text.split("\n")),
    ]


def _block(key: str, value: JsonObject | Sequence[Json], room: int) -> list[str]:
    if isinstance(value, Mapping):
        return _mapping(value, room)
    if key in {"frames", "pieces"} and (timed := _timed(value, quoted=key == "frames")):
        return timed
    found: list[str] = []
    for item in value:
        first, *rest = _item(key, item, room - 2)
        found += [f"- {first}", *(f"  {line}" for line in rest)]
    return found


def _mapping(value: JsonObject, room: int) -> list[str]:
    return [line for key, inner in value.items() for line in entry(key, inner, room)]


def _item(key: str, item: Json, room: int) -> list[str]:
    if item is None or isinstance(item, str | int | float):
        return [scalar(item, alone=True)]
    line = flow(item)
    opened = isinstance(item, Mapping) and (key in _OPEN_ITEMS or not _SAID.isdisjoint(item))
    if not item or (len(line) <= room and not opened):
        return [line]
    return _block("", item, room)


def _timed(items: Sequence[Json], *, quoted: bool) -> list[str]:
    """Returns items ``[at_ms, what]``, one on each line with aligned times, or an empty list if the items
    have another form.
    """
    pairs: list[tuple[str, Json]] = []
    for item in items:
        match item:
            case [int(at_ms), what] if not isinstance(at_ms, bool):
                pairs.append((str(at_ms), what))
            case _:
                return []
    width = max(len(at_ms) for at_ms, _ in pairs)
    return [f"- [{at_ms:>{width}}, {flow(what, quoted=quoted)}]" for at_ms, what in pairs]


class Moment(str):
    """A date and a time, written without quotes."""

    __slots__ = ()


class BlockText(str):
    """A text of several lines, written as a block."""

    __slots__ = ()


def short_form(part: CassettePart) -> Json:
    """Returns the shortest value that reads as this part again, with the keys in the order of the format."""
    match part:
        case Cassette():
            return {"format": part.format, **_said(part)}
        case Reply():
            return _reply(part)
        case Called():
            return _called(part)
        case ExpectedCall():
            return _expected_call(part)
        case Run():
            return _run(part)
        case Event():
            return _event(part)
        case Hears():
            return _hears(part)
        case Expectations(scene=str(scene)):
            return {**_said(part), "scene": BlockText(scene)}
        case TextPiece():
            return [part.at_ms, part.text]
        case NamePiece() | ArgumentsPiece() | EndPiece():
            return [part.at_ms, _said(part, {"at_ms"})]
        case HeardFrame():
            return [part.at_ms, part.frame]
        case _:
            return _said(part)


def _said(part: CassettePart, without: Collection[str] = ()) -> dict[str, Json]:
    """Returns the fields that differ from their defaults."""
    return {
        name: _value(getattr(part, name))
        for name, field in type(part).model_fields.items()
        if name not in without
        and (field.is_required() or getattr(part, name) != field.get_default(call_default_factory=True))
    }


def _value(value: object) -> Json:
    if isinstance(value, CassettePart):
        return short_form(value)
    if isinstance(value, datetime):
        return Moment(value.isoformat(sep=" "))
    if isinstance(value, tuple):
        return [_value(item) for item in cast("tuple[object, ...]", value)]
    return cast("Json", value)


def _reply(reply: Reply) -> Json:
    said = _said(reply, {"role"})
    if not said or said.keys() == {"says"}:
        return {reply.role: said.get("says", "")}
    return {reply.role: said}


def _called(called: Called) -> Json:
    if called.tool in Called.model_fields:
        return _said(called)
    if called.raw_arguments is not None:
        return {called.tool: called.raw_arguments}
    return {called.tool: called.arguments} if called.arguments else called.tool


def _expected_call(call: ExpectedCall) -> Json:
    rest = _said(call, {"tool", "arguments"})
    if call.tool in ExpectedCall.model_fields or (call.arguments is None and rest):
        return _said(call)
    return call.tool if call.arguments is None else {call.tool: call.arguments, **rest}


def _run(run: Run) -> Json:
    deeds: dict[str, tuple[str, Json]] = {
        "returns": ("returns", run.returns),
        "fails": ("fails", run.fails),
        "raises": ("raises", run.raises),
        "hangs": ("hangs", True),
        "asks": ("confirm", run.confirm),
    }
    key, what = deeds[run.does]
    said: dict[str, Json] = {key: what, **_said(run, {"tool", "does", key})}
    if run.tool in {*Run.model_fields, "hangs"}:
        return {"tool": run.tool, **said}
    return {run.tool: said}


def _event(event: Event) -> Json:
    rest = _said(event, {"happens", "for_ms", "words"})
    if event.happens == "disconnect":
        return {"disconnect_ms": event.for_ms, **rest}
    return {event.happens: True if event.words is None else event.words, **rest}


def _hears(hears: Hears) -> Json:
    said = _said(hears)
    match said.get("text_contains"):
        case [str(one)]:
            said["text_contains"] = one
        case _:
            pass
    if hears.kind is None or hears.text is None:
        return said
    return {hears.kind: hears.text, **{key: said[key] for key in said if key not in {"kind", "text"}}}


_BLOCK = re.compile(r"[^\W_](?:[\w .,;!?'()/€$%+&=–—…-]|:(?=\S))*")
_FLOW = re.compile(r"[^\W_][\w .'()/€$%+&=–—…-]*")
# Characters that need no escape in JSON but do in YAML: controls, line breaks and the byte order mark.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_Rules: TypeAlias = Sequence[tuple[str, re.Pattern[str]]]
_OTHER_BOOLEANS = frozenset({"y", "n"})


def scalar(value: str | float | bool | None, *, quoted: bool = False, alone: bool = False) -> str:
    """Returns a text, a number, a boolean or null as YAML.

    Args:
        value: the value; a float must be finite.
        quoted: write a text always in quotes, as in JSON.
        alone: nothing follows on this line, so commas need no quotes.

    >>> scalar("2 pm"), scalar("no"), scalar("y"), scalar("007"), scalar(7), scalar(None), scalar("Sure, now")
    ('2 pm', '"no"', '"y"', '"007"', '7', 'null', '"Sure, now"')
    >>> scalar("Sure, now", alone=True)
    'Sure, now'
    """
    if not isinstance(value, str) or quoted or not _bare(value, _BLOCK if alone else _FLOW):
        shown = json.dumps(value, ensure_ascii=False)
        return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)
    return value


def flow(value: Json, *, quoted: bool = False) -> str:
    """Returns any value on one line. With ``quoted``, the line is also valid JSON.

    >>> flow({"returns": [{"when": "2026-11-24", "seats": 2}], "by": "phone"})
    '{returns: [{when: "2026-11-24", seats: 2}], by: phone}'
    >>> flow({"returns": [True, None]}, quoted=True)
    '{"returns": [true, null]}'
    """
    if isinstance(value, Mapping):
        pairs = (
            f"{scalar(key, quoted=quoted)}: {flow(inner, quoted=quoted)}" for key, inner in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if value is None or isinstance(value, str | int | float):
        return scalar(value, quoted=quoted)
    return f"[{', '.join(flow(item, quoted=quoted) for item in value)}]"


def _bare(text: str, form: re.Pattern[str]) -> bool:
    if not form.fullmatch(text) or not text.isprintable() or text.endswith(" "):
        return False
    if text[0].isdigit() and " " not in text:
        return False
    # Other programs also read this file, and may take "no" for false and "12:30" for a number.
    others = cast("Mapping[str, _Rules]", yaml.SafeLoader.yaml_implicit_resolvers)
    return text.casefold() not in _OTHER_BOOLEANS and not any(
        rule.match(text) for _, rule in others.get(text[0], ())
    )


def renew(text: str, cassette: Cassette, played: Played) -> str:
    """Returns the file with the frames and scenes of a replay.

    New frames replace the file's frames, and new scenes its scenes. Where the file has none, none are added.

    The other expectations and the comments stay as they are.

    Raises:
        DeclarationError: only the author can change the file, because of its layout.
    """
    came = scenes_of(played.state)
    scenes = {
        number: came[f"m{number + 1}"]
        for number, turn in enumerate(cassette.turns)
        if turn.expect.scene is not None and f"m{number + 1}" in came
    }
    frames = tuple(HeardFrame(at_ms=one.at_ms, frame=one.frame) for one in played.frames)
    return with_expected(text, scenes, frames if cassette.frames else ())


_WHERE = "conversation"


def with_expected(text: str, scenes: Mapping[int, str], frames: Sequence[HeardFrame] = ()) -> str:
    """Returns the text with new scenes, by the number of the turn from 0, and new frames, in place of the old
    ones.

    Raises:
        DeclarationError: the text is no cassette, or only its author can change it, because of its layout.
    """
    before = load_text(text, _WHERE).cassette
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None  # noqa: S101 - it has already been read as a cassette
    lines, edits = text.split("\n"), list[_Edit]()
    turns = list(before.turns)
    for number, scene in scenes.items():
        expect = turns[number].expect.model_copy(update={"scene": scene})
        turns[number] = turns[number].model_copy(update={"expect": expect})
        if (pair := find_pair(root, "turns")) is not None:
            edits += _scene_edit(items_of(pair[1])[number], lines, text, scene)
    if frames and (pair := find_pair(root, "frames")) is not None:
        edits.append(_frames_edit(*pair, lines, frames))
    for begin, end, new in sorted(edits, reverse=True):
        lines[begin:end] = new
    found = "\n".join(lines)
    after = {"turns": tuple(turns), "frames": tuple(frames) or before.frames}
    try:
        if load_text(found, _WHERE).cassette == before.model_copy(update=after):
            return found
    except DeclarationError:
        pass
    raise DeclarationError(
        "the new expectations cannot be written into this file without changing its layout;"
        " write turns, expect and frames on separate lines, without aliases"
    )


_Edit: TypeAlias = tuple[int, int, list[str]]
"""The first line to replace, the line after the last one, and the new lines."""


def _frames_edit(
    key: yaml.Node, value: yaml.Node, lines: Sequence[str], frames: Sequence[HeardFrame]
) -> _Edit:
    new, end = entry("frames", [short_form(frame) for frame in frames]), last_line(value, lines) + 1
    if not in_lines(value):
        return key.start_mark.line, end, new
    # A comment next to the key stays, and the list keeps its indentation.
    return value.start_mark.line, end, _indented(new[1:], value.start_mark.column - 2)


def _scene_edit(turn: yaml.Node, lines: Sequence[str], text: str, scene: str) -> list[_Edit]:
    new, pair = entry("scene", BlockText(scene)), find_pair(turn, "expect")
    old = find_pair(pair[1], "scene") if pair is not None else None
    if pair is None or old is None or not in_lines(turn):
        return []
    key, expect = pair
    if in_lines(expect):
        end = last_line(old[1], lines) + 1
        return [(old[0].start_mark.line, end, _indented(new, expect.start_mark.column))]
    # A turn in braces is rewritten on separate lines.
    others = [_source(text, *other) for other in pairs_of(expect) if other[0].value != "scene"]
    opened = _indented(["expect:", *_indented([*new, *others], 2)], turn.start_mark.column)
    return [(key.start_mark.line, last_line(expect, lines) + 1, opened)]


def _source(text: str, key: yaml.Node, value: yaml.Node) -> str:
    """Returns the source of a pair in a mapping in braces, on one line."""
    return re.sub(r"\s*\n\s*", " ", text[key.start_mark.index : value.end_mark.index])


def _indented(lines: Sequence[str], by: int) -> list[str]:
    # Negative if a list has the same indentation as its key, which YAML allows.
    return [f"{' ' * by}{line}" if line and by > 0 else line[max(0, -by) :] for line in lines]


Pair: TypeAlias = tuple[yaml.Node, yaml.Node]
"""A key and its value."""


def pairs_of(node: yaml.Node) -> list[Pair]:
    """Returns the keys and values of a mapping, or an empty list for any other node."""
    return cast("list[Pair]", node.value) if isinstance(node, yaml.MappingNode) else []


def items_of(node: yaml.Node) -> list[yaml.Node]:
    """Returns the items of a list, or an empty list for any other node."""
    return cast("list[yaml.Node]", node.value) if isinstance(node, yaml.SequenceNode) else []


def find_pair(node: yaml.Node, key: str) -> Pair | None:
    """Returns the key with this name in a mapping, and its value, or None if it is missing."""
    return next((pair for pair in pairs_of(node) if pair[0].value == key), None)


def in_lines(node: yaml.Node) -> bool:
    """Whether this is a mapping or a list in block style, with a line for each of its parts."""
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def last_line(node: yaml.Node, lines: Sequence[str]) -> int:
    """Returns the number, from 0, of the last line of the node, without comments and blank lines after it."""
    if in_lines(node):
        inside = [value for _, value in pairs_of(node)] + items_of(node)
        return max([node.start_mark.line, *(last_line(value, lines) for value in inside)])
    end = node.end_mark
    last = end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line
    while last > node.start_mark.line and not lines[last].strip():
        last -= 1
    return last
