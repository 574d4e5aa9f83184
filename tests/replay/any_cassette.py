"""Cassettes of every kind, for tests of what holds for all of them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeVar, get_args

from hypothesis import strategies as st

from assistant.conversation.values import Json
from assistant.replay.cassette import Cassette, Event, HeardFrame, Limits, People, Turn, Who
from assistant.replay.expectations import (
    Check,
    Expectations,
    ExpectedCall,
    Hears,
    Never,
)
from assistant.replay.replies import (
    ArgumentsPiece,
    Called,
    Declared,
    Ending,
    EndPiece,
    NamePiece,
    Piece,
    Reply,
    Run,
    TextPiece,
)

_T = TypeVar("_T")

# What is easily taken for something else, among texts of every kind.
AWKWARD = (
    *("no", "Yes", "null", "~", "007", "1e3", "12:30", "2026-11-24", "120.00", "true", "y", ""),
    *(
        " a",
        "a ",
        "a: b",
        "a #b",
        "- a",
        "{a}",
        "[a",
        "'",
        '"',
        "a\nb",
        "a,b",
        "a:",
        "\u2028",
        "\x85",
        "\x7f",
    ),
    *("\ufeff", "é, ß", "💶", "tool", "frames", "turns", "=", "<<", "!x", "&a", "*a", "%a", "@a", "`a", "?"),
    *(":", "|", ">", "...", "---"),
)

texts = st.sampled_from(AWKWARD) | st.text(max_size=12)
words = texts.filter(bool)
names = st.sampled_from(["get_x", "tool", "arguments", "hangs", "raw_arguments", "within_ms", "no"]) | words
ms = st.integers(0, 10**7)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, json, max_size=3)


def maybe(strategy: st.SearchStrategy[_T]) -> st.SearchStrategy[_T | None]:
    return st.none() | strategy


def several(strategy: st.SearchStrategy[_T], most: int = 3) -> st.SearchStrategy[tuple[_T, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


def rising(make: Callable[[int], st.SearchStrategy[_T]]) -> st.SearchStrategy[tuple[_T, ...]]:
    times = st.lists(ms, max_size=4).map(sorted)
    return times.flatmap(lambda at: st.tuples(*map(make, at)))


def piece(at_ms: int) -> st.SearchStrategy[Piece]:
    at = st.just(at_ms)
    return st.one_of(
        st.builds(TextPiece, at_ms=at, text=words),
        st.builds(NamePiece, at_ms=at, call=names, index=st.integers(0, 2), id=maybe(texts)),
        st.builds(ArgumentsPiece, at_ms=at, arguments=texts, index=st.integers(0, 2)),
        st.builds(
            EndPiece, at_ms=at, input_tokens=maybe(ms), cost_usd=maybe(st.floats(0, 1)), model=maybe(texts)
        ),
    )


called = st.one_of(
    st.builds(Called, tool=names, arguments=objects), st.builds(Called, tool=names, raw_arguments=texts)
)
role = st.sampled_from(["decider", "narrator"])
endings = st.sampled_from(get_args(Ending))
replies = st.one_of(
    st.builds(
        Reply, role=role, says=texts | several(texts), calls=several(called), first_ms=ms, ends=endings
    ),
    st.builds(Reply, role=role, says=texts),
    st.builds(Reply, role=role, pieces=rising(piece), ends=endings),
)


def run(does: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Run]:
    more = {"after_ms": ms, "arguments": maybe(objects)}
    return st.builds(Run, tool=names, does=st.just(does), **fields, **more)  # pyright: ignore[reportArgumentType]


runs = st.one_of(
    run("returns", returns=json),
    run("fails", fails=words, for_model=maybe(texts)),
    run("raises", raises=texts),
    run("hangs"),
    run("hangs", returns=json, reconcile=st.just("done")),
    run("returns", returns=json, fails_first=st.integers(0, 3)),
    run("asks", confirm=words),
)
events = st.one_of(
    st.builds(Event, happens=st.sampled_from(["stop", "restart"]), at_ms=ms),
    st.builds(Event, happens=st.just("disconnect"), after=words, for_ms=ms),
    st.builds(
        Event,
        happens=st.sampled_from(["agent_accepts", "agent_says", "agent_declines"]),
        at_ms=ms,
        words=words,
    ),
    st.builds(Event, happens=st.sampled_from(["typing", "wants_assistant", "agent_ends"]), at_ms=ms),
)
kinds = st.sampled_from(["acknowledgement", "status", "response"])
hears = st.one_of(
    st.builds(Hears, kind=maybe(kinds), text=texts, within_ms=maybe(ms), interrupted=maybe(st.booleans())),
    st.builds(Hears, kind=maybe(kinds), text_contains=several(words), text_matches=maybe(st.just("a|b"))),
)
never = st.one_of(st.builds(Never, kind=kinds, text_contains=maybe(words)), st.builds(Never, tool=names))
expected = st.builds(
    ExpectedCall, tool=names, arguments=maybe(objects), outcome=maybe(st.just("ok")), within_ms=maybe(ms)
)
expectations = st.builds(
    Expectations,
    scene=maybe(texts | st.lists(texts).map("\n".join)),
    hears=several(hears),
    never=several(never),
    calls=maybe(several(expected)),
    overlap=several(st.tuples(names, names)),
    max_silence_ms=maybe(ms),
    suppressed=maybe(st.dictionaries(st.sampled_from(["repetition", "claims"]), st.integers(0, 3))),
    skip_checks=several(st.sampled_from(get_args(Check))),
)
turns = st.builds(
    Turn,
    customer=words,
    button=maybe(st.sampled_from(["yes", "no"])),
    after_ms=ms,
    replies=several(replies),
    results=several(runs),
    meanwhile=several(events),
    expect=expectations,
)
zones = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.integers(0, 4 * 10**9).flatmap(
    lambda at: st.one_of(
        zones.map(lambda zone: datetime.fromtimestamp(at, zone)),
        st.just(datetime.fromtimestamp(at, UTC).replace(tzinfo=None)),
    )
)
declared = st.builds(
    Declared,
    name=names,
    waiting_hint=texts,
    arguments=st.just(("a", "b")),
    required=st.just(("b",)),
    timeout_s=st.floats(0.1, 60),
    hints=st.dictionaries(texts, st.tuples(texts, texts), max_size=2),
)
_cassettes = st.builds(
    Cassette,
    about=words,
    now=moments,
    customer=st.builds(Who, name=maybe(texts), level=st.sampled_from(["anonymous", "verified"])),
    bundle=maybe(texts),
    tags=several(texts),
    agents=st.builds(People),
    limits=st.builds(Limits, rounds=st.integers(1, 9)),
    confirm_every_write=st.booleans(),
    tools=several(declared, 1),
    turns=st.lists(turns, min_size=1, max_size=2).map(tuple),
    expect=expectations,
    frames=rising(lambda at_ms: st.builds(HeardFrame, at_ms=st.just(at_ms), frame=objects)),
)


@st.composite
def cassettes(draw: st.DrawFn) -> Cassette:
    """Any cassette; composed, so that a failing test does not print how all of them are made."""
    return draw(_cassettes)
