"""Masks a cassette: finds the personal data in all its parts and replaces it everywhere."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from assistant.conversation.values import Json
from assistant.replay.cassette import Cassette, Turn, Who
from assistant.replay.expectations import Expectations
from assistant.replay.recording.personal_data import Kind, patterns_found_in
from assistant.replay.recording.pseudonymizer import (
    Pseudonymizer,
    personal_in,
    personal_in_arguments,
    pseudonymized,
    replace_spans,
    spans_in_arguments,
    texts_in,
    texts_in_arguments,
)
from assistant.replay.replies import ArgumentsPiece, Called, Piece, Reply, Run, TextPiece

_DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Masked:
    """A cassette without personal data. ``replaced``: how many different ones of each kind were in it."""

    cassette: Cassette
    replaced: Mapping[Kind, int]


def mask(cassette: Cassette, *, keep: Collection[str] = (), also: Mapping[str, Kind] | None = None) -> Masked:
    """Replace what is personal by something invented of the same kind, the same by the same everywhere.

    Hidden are e-mail addresses, numbers of phones, accounts and cards, streets, postcodes and towns, names and
    birthdays: what looks like one, and what stands under a key that says so; a name's words of three letters
    and more also by themselves. The customer's id becomes "customer". What is no person's stays: numbers of
    orders, amounts, dates, times of appointments. Frames are left out: replaying makes them anew.

    No program finds everything: a name that only the customer says, in the middle of a sentence, is found by
    ``also`` alone. Who gives a file away reads it first.

    Args:
        cassette: as it was recorded.
        keep: words that stay as they are.
        also: words that are personal here, and their kinds.
    """
    written = list(arguments_of(cassette))
    values = list(values_of(cassette))
    texts = [*texts_of(cassette)]
    texts += [text for value in values for text in texts_in(value)]
    texts += [text for one in written for text in texts_in_arguments(one)]
    pseudonymizer = Pseudonymizer(" ".join(texts), keep)
    for text, kind in (also or {}).items():
        pseudonymizer.learn(kind, text)
    _learn_customer(cassette, pseudonymizer)
    for event in (event for turn in cassette.turns for event in turn.meanwhile):
        if event.happens == "accepts" and event.words:
            pseudonymizer.learn("name", event.words)
    for value in values:
        for kind, text in personal_in(value):
            pseudonymizer.learn(kind, text)
    for one in written:
        for kind, text in personal_in_arguments(one):
            pseudonymizer.learn(kind, text)
    for text in texts:
        for kind, found in patterns_found_in(text):
            pseudonymizer.learn(kind, found)
    masked = masked_cassette(cassette, pseudonymizer)
    return Masked(masked, pseudonymizer.counts)


def _learn_customer(cassette: Cassette, pseudonymizer: Pseudonymizer) -> None:
    who = cassette.customer
    if who.name:
        pseudonymizer.learn("name", who.name)
    if who.id != _DEMO and any(letter.isdigit() for letter in who.id):
        pseudonymizer.learn("id", who.id)


_CUT = " --"
"""What a scene writes after a message that was stopped."""


def masked_cassette(cassette: Cassette, pseudonymizer: Pseudonymizer) -> Cassette:
    """The same conversation of another customer. Its frames are left out."""
    return cassette.model_copy(
        update={
            "about": pseudonymizer.pseudonymize(cassette.about),
            "customer": _who(cassette.customer, pseudonymizer),
            "turns": tuple(_turn(turn, pseudonymizer) for turn in cassette.turns),
            "expect": _expectations(cassette.expect, pseudonymizer),
            "frames": (),
        }
    )


def _who(who: Who, pseudonymizer: Pseudonymizer) -> Who:
    return who.model_copy(
        update={
            "id": who.id if who.id == "demo" else "customer",
            "tenant": who.tenant if who.tenant == "demo" else "company",
            "name": pseudonymizer.pseudonymize_all("name", who.name) if who.name else None,
        }
    )


def _turn(turn: Turn, pseudonymizer: Pseudonymizer) -> Turn:
    meanwhile = (
        event.model_copy(
            update={
                "after": pseudonymizer.pseudonymize(event.after) if event.after else event.after,
                "words": pseudonymizer.pseudonymize(event.words) if event.words else event.words,
            }
        )
        for event in turn.meanwhile
    )
    return turn.model_copy(
        update={
            "customer": pseudonymizer.pseudonymize(turn.customer),
            "heard_up_to": pseudonymizer.pseudonymize(turn.heard_up_to)
            if turn.heard_up_to
            else turn.heard_up_to,
            "replies": tuple(_reply(reply, pseudonymizer) for reply in turn.replies),
            "tools": tuple(_run(run, pseudonymizer) for run in turn.tools),
            "meanwhile": tuple(meanwhile),
            "expect": _expectations(turn.expect, pseudonymizer),
        }
    )


def _reply(reply: Reply, pseudonymizer: Pseudonymizer) -> Reply:
    says = reply.says
    if isinstance(says, str):
        said: str | tuple[str, ...] = pseudonymizer.pseudonymize(says)
    else:
        said = tuple(filter(None, replace_spans(says, pseudonymizer.spans("".join(says)))))
    return reply.model_copy(
        update={
            "says": said,
            "calls": tuple(_called(call, pseudonymizer) for call in reply.calls),
            "pieces": _pieces(reply, pseudonymizer),
        }
    )


def _called(call: Called, pseudonymizer: Pseudonymizer) -> Called:
    written = call.written
    if written is not None:
        written = replace_spans([written], spans_in_arguments(written, pseudonymizer))[0]
    return call.model_copy(
        update={"arguments": pseudonymized(call.arguments, pseudonymizer), "written": written}
    )


def _pieces(reply: Reply, pseudonymizer: Pseudonymizer) -> tuple[Piece, ...]:
    """The pieces at their times; one that has become empty is left out."""
    texts = [piece.text for piece in reply.pieces if isinstance(piece, TextPiece)]
    joined = "".join(texts)
    left = iter(replace_spans(texts, pseudonymizer.spans(joined, cut=reply.ends != "complete")))
    written = {
        index: iter(
            replace_spans(
                [
                    piece.arguments
                    for piece in reply.pieces
                    if isinstance(piece, ArgumentsPiece) and piece.index == index
                ],
                spans_in_arguments(written_for(reply, index), pseudonymizer),
            )
        )
        for index in indexes(reply)
    }
    found: list[Piece] = []
    for piece in reply.pieces:
        match piece:
            case TextPiece():
                if text := next(left):
                    found.append(piece.model_copy(update={"text": text}))
            case ArgumentsPiece():
                if arguments := next(written[piece.index]):
                    found.append(piece.model_copy(update={"arguments": arguments}))
            case _:
                found.append(piece)
    return tuple(found)


def _run(run: Run, pseudonymizer: Pseudonymizer) -> Run:
    return run.model_copy(
        update={
            "gives": pseudonymized(run.gives, pseudonymizer),
            "refuses": pseudonymizer.pseudonymize(run.refuses),
            "for_model": pseudonymizer.pseudonymize(run.for_model) if run.for_model else run.for_model,
            "breaks": pseudonymizer.pseudonymize(run.breaks),
            "clause": pseudonymizer.pseudonymize(run.clause) if run.clause else run.clause,
            "arguments": pseudonymized(run.arguments, pseudonymizer) if run.arguments is not None else None,
        }
    )


def _expectations(expect: Expectations, pseudonymizer: Pseudonymizer) -> Expectations:
    hears = (
        one.model_copy(
            update={
                "text": pseudonymizer.pseudonymize(one.text) if one.text else one.text,
                "text_contains": tuple(map(pseudonymizer.pseudonymize, one.text_contains)),
            }
        )
        for one in expect.hears
    )
    never = (
        one.model_copy(update={"text_contains": pseudonymizer.pseudonymize(one.text_contains)})
        if one.text_contains
        else one
        for one in expect.never
    )
    calls = expect.calls
    if calls is not None:
        calls = tuple(
            call.model_copy(update={"arguments": pseudonymized(call.arguments, pseudonymizer)})
            if call.arguments
            else call
            for call in calls
        )
    return expect.model_copy(
        update={
            "scene": _scene(expect.scene, pseudonymizer) if expect.scene else expect.scene,
            "hears": tuple(hears),
            "never": tuple(never),
            "calls": calls,
        }
    )


def _scene(scene: str, pseudonymizer: Pseudonymizer) -> str:
    """Its lines; one that was stopped may end in the middle of a word."""
    lines: list[str] = []
    for line in scene.split("\n"):
        text = line.removesuffix(_CUT)
        lines.append(
            replace_spans([text], pseudonymizer.spans(text, cut=text != line))[0] + line[len(text) :]
        )
    return "\n".join(lines)


def texts_of(cassette: Cassette) -> Iterator[str]:
    """The texts: of the customer, of models, of tools that refuse, of what is expected."""
    yield cassette.about
    yield from _expected_texts(cassette.expect)
    for turn in cassette.turns:
        yield turn.customer
        yield turn.heard_up_to or ""
        for reply in turn.replies:
            yield from _written_texts(reply)
        for run in turn.tools:
            yield from filter(None, (run.refuses, run.for_model, run.breaks, run.clause))
        yield from (text for event in turn.meanwhile for text in (event.after, event.words) if text)
        yield from _expected_texts(turn.expect)


def values_of(cassette: Cassette) -> Iterator[Json]:
    """The values: results, and the arguments of calls."""
    for turn in cassette.turns:
        yield from _named_values(turn)


def arguments_of(cassette: Cassette) -> Iterator[str]:
    """The arguments as models wrote them, of each call its own."""
    for turn in cassette.turns:
        for reply in turn.replies:
            yield from (written for index in indexes(reply) if (written := written_for(reply, index)))
            yield from (call.written for call in reply.calls if call.written)


def indexes(reply: Reply) -> list[int]:
    """The numbers of the calls in a recorded reply."""
    return sorted({piece.index for piece in reply.pieces if isinstance(piece, ArgumentsPiece)})


def written_for(reply: Reply, index: int) -> str:
    """All that a recorded reply wrote for this call."""
    pieces = (piece for piece in reply.pieces if isinstance(piece, ArgumentsPiece))
    return "".join(piece.arguments for piece in pieces if piece.index == index)


def _named_values(turn: Turn) -> Iterator[Json]:
    for reply in turn.replies:
        yield from (call.arguments for call in reply.calls)
    for run in turn.tools:
        yield from _of_run(run)
    yield from (call.arguments for call in turn.expect.calls or () if call.arguments)


def _of_run(run: Run) -> Iterator[Json]:
    yield run.gives
    if run.arguments is not None:
        yield run.arguments


def _written_texts(reply: Reply) -> Iterator[str]:
    yield reply.says if isinstance(reply.says, str) else "".join(reply.says)
    yield "".join(piece.text for piece in reply.pieces if isinstance(piece, TextPiece))


def _expected_texts(expect: Expectations) -> Iterator[str]:
    yield expect.scene or ""
    for hears in expect.hears:
        yield from (hears.text or "", *hears.text_contains)
    yield from (never.text_contains for never in expect.never if never.text_contains)
