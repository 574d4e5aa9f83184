"""``frames``: a recorded conversation brings the very frames that were recorded, each at its time."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import orjson

from assistant.conversation.values import JsonObject
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held
from assistant.replay.expect.phrases import ms
from assistant.replay.played import Heard

_AROUND = 3
_LOOK_AHEAD = 8
_WIDEST = 83
_PASSING = frozenset({"seq", "at", "ms", "expires_at"})
"""Fields that change of themselves once a frame more or less has come."""

_Difference: TypeAlias = tuple[Literal["other", "extra", "missing"], int]


def frames(held: Held) -> Iterator[Complaint]:
    """Complain of the first frame that is other, too many or missing; nothing is compared without a recording."""
    recorded = [Heard(one.at_ms, one.frame) for one in held.cassette.frames]
    played = held.played.frames
    if not recorded:
        return
    pairs = zip(recorded, played, strict=False)
    first = next((number for number, (one, other) in enumerate(pairs) if _bytes(one) != _bytes(other)), None)
    if first is None:
        first = min(len(recorded), len(played))
        if len(recorded) == len(played):
            return
    expected, found = _told(recorded, played, first)
    nearest = played[first] if first < len(played) else recorded[first]
    yield Complaint(
        turn=_turn(held, nearest),
        check="frames",
        expected=expected,
        found=f"{found}\n{_around(played, first)}",
        at_ms=nearest.at_ms,
        place=("frames", min(first, len(recorded) - 1)),
    )


def _told(recorded: Sequence[Heard], played: Sequence[Heard], at: int) -> tuple[str, str]:
    kind, count = _difference(recorded, played, at)
    more = f" and {count - 1} more" if count > 1 else ""
    match kind:
        case "extra":
            after = (
                f"{_when(recorded, at)}: {_name(recorded[at])}" if at < len(recorded) else "no more frames"
            )
            return after, f"{_name(played[at])} at {ms(played[at].at_ms)}{more} too many"
        case "missing":
            came = f"{_name(played[at])} at {ms(played[at].at_ms)}" if at < len(played) else "nothing"
            return f"{_when(recorded, at)}: {_name(recorded[at])}{more}", f"missing; {came} came instead"
        case "other":
            expected, found = _fields(recorded[at], played[at])
            return f"{_when(recorded, at)}: {recorded[at].frame['type']} {expected}", found


def _difference(recorded: Sequence[Heard], played: Sequence[Heard], at: int) -> _Difference:
    """Whether frames came in between, or were left out, or this one is another; and how many."""
    if at >= len(recorded):
        return "extra", len(played) - at
    if at >= len(played):
        return "missing", len(recorded) - at
    if _same(recorded, at, played, at):
        return "other", 1
    for count in range(1, _LOOK_AHEAD + 1):
        if _same(recorded, at, played, at + count):
            return "extra", count
        if _same(recorded, at + count, played, at):
            return "missing", count
    return "other", 1


def _same(recorded: Sequence[Heard], one: int, played: Sequence[Heard], other: int) -> bool:
    """Whether both go on alike from here, for two frames, but for what passing time and numbers change."""
    left = [_lasting(heard) for heard in recorded[one : one + 2]]
    right = [_lasting(heard) for heard in played[other : other + 2]]
    return bool(left) and left == right


def _lasting(heard: Heard) -> JsonObject:
    return {name: value for name, value in heard.frame.items() if name not in _PASSING}


def _fields(recorded: Heard, played: Heard) -> tuple[str, str]:
    """What differs between two frames in one place."""
    if recorded.frame["type"] != played.frame["type"]:
        return _cut(_rest(recorded)), _name(played)
    names = [
        name for name in {**recorded.frame, **played.frame} if _field(recorded, name) != _field(played, name)
    ]
    was = [f"{name} {_field(recorded, name)}" for name in names]
    is_ = [f"{name} {_field(played, name)}" for name in names]
    if recorded.at_ms != played.at_ms:
        was.append(f"at {ms(recorded.at_ms)}")
        is_.append(f"at {ms(played.at_ms)}")
    elif not names:
        return "with its fields in the order " + ", ".join(recorded.frame), ", ".join(played.frame)
    return ", ".join(was), ", ".join(is_)


def _field(heard: Heard, name: str) -> str:
    return orjson.dumps(heard.frame[name]).decode() if name in heard.frame else "none"


def _bytes(heard: Heard) -> tuple[int, bytes]:
    return heard.at_ms, orjson.dumps(heard.frame)


def _name(heard: Heard) -> str:
    return _cut(f"{heard.frame['type']} {_rest(heard)}")


def _rest(heard: Heard) -> str:
    return orjson.dumps({name: value for name, value in heard.frame.items() if name != "type"}).decode()


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _when(recorded: Sequence[Heard], at: int) -> str:
    return f"frame {at + 1} at {ms(recorded[at].at_ms)}"


def _around(played: Sequence[Heard], at: int) -> str:
    """What was played before and after, a line each, the place marked."""
    begin = max(0, at - _AROUND)
    lines = [
        f"{'>' if number == at else ' '} {number + 1:>3} {ms(heard.at_ms):>10}  {_name(heard)}"
        for number, heard in enumerate(played[begin : at + _AROUND + 1], start=begin)
    ]
    return "\n".join(lines if at < len(played) else [*lines, ">     (nothing more)"])


def _turn(held: Held, heard: Heard) -> int:
    """The turn that was the newest at that time."""
    return max((turn.number for turn in held.turns if turn.said_ms <= heard.at_ms), default=0)
