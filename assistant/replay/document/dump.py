"""Writes a cassette so that it reads well: its structure in lines of their own, its leaves in one line each."""

from collections.abc import Mapping, Sequence

from assistant.conversation.values import Json, JsonObject
from assistant.replay.cassette.cassette import Cassette, HeardFrame
from assistant.replay.document.flow import flow, scalar
from assistant.replay.document.shortened import Lined, Moment, shortened

WIDTH = 110
"""What does not fit is written below each other; a text stays in one line, whatever its length."""

# What is looked at one by one stands in lines of its own, even where it would fit into one.
_OPEN = frozenset(
    {"turns", "replies", "tools", "declares", "expect", "hears", "pieces", "frames", "meanwhile"}
)
_OPEN_ITEMS = frozenset({"turns", "replies", "tools"})
_SAID = frozenset({"acknowledgement", "response", "status"})


def dump(cassette: Cassette) -> str:
    """A text that ``load_text`` reads as an equal cassette. What is as it would be anyway is left out."""
    content = shortened(cassette)
    assert isinstance(content, Mapping)  # noqa: S101 - the form's root is a mapping
    return "".join(f"{line}\n" if line.strip() else "\n" for line in _mapping(content, WIDTH))


def frame_lines(frames: Sequence[HeardFrame]) -> list[str]:
    """The part of a file that says what the client was sent; no lines for no frames."""
    return entry("frames", [shortened(frame) for frame in frames], WIDTH) if frames else []


def entry(key: str, value: Json, room: int = WIDTH) -> list[str]:
    """A key and its value, in lines; ``room`` is how many characters the first may have."""
    head = f"{scalar(key)}:"
    if isinstance(value, Lined):
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
    # A block of lines holds nothing that is not printed; one that begins with a blank must say how far it is in.
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
    """``[at_ms, what]`` each, with the times below each other; nothing when the items are not of this kind."""
    pairs: list[tuple[str, Json]] = []
    for item in items:
        match item:
            case [int(at_ms), what] if not isinstance(at_ms, bool):
                pairs.append((str(at_ms), what))
            case _:
                return []
    width = max(len(at_ms) for at_ms, _ in pairs)
    return [f"- [{at_ms:>{width}}, {flow(what, quoted=quoted)}]" for at_ms, what in pairs]
