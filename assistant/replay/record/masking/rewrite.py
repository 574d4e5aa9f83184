"""Writes a cassette anew, with everything hidden that a disguise knows."""

from assistant.replay.cassette import Cassette, Turn, Who
from assistant.replay.expectations import Expectations
from assistant.replay.record.masking.arguments import spans_in_arguments
from assistant.replay.record.masking.disguise import Disguise
from assistant.replay.record.masking.parts import indexes, written_for
from assistant.replay.record.masking.spans import rewritten
from assistant.replay.record.masking.values import hidden_in
from assistant.replay.replies import ArgumentsPiece, Called, Piece, Reply, Run, TextPiece

_CUT = " --"
"""What a scene writes after a message that was stopped."""


def rewritten_cassette(cassette: Cassette, disguise: Disguise) -> Cassette:
    """The same conversation of somebody else. Its frames are left out."""
    return cassette.model_copy(
        update={
            "about": disguise.hide(cassette.about),
            "customer": _who(cassette.customer, disguise),
            "turns": tuple(_turn(turn, disguise) for turn in cassette.turns),
            "expect": _expectations(cassette.expect, disguise),
            "frames": (),
        }
    )


def _who(who: Who, disguise: Disguise) -> Who:
    return who.model_copy(
        update={
            "id": who.id if who.id == "demo" else "customer",
            "tenant": who.tenant if who.tenant == "demo" else "company",
            "name": disguise.hide_all("name", who.name) if who.name else None,
        }
    )


def _turn(turn: Turn, disguise: Disguise) -> Turn:
    meanwhile = (
        event.model_copy(
            update={
                "after": disguise.hide(event.after) if event.after else event.after,
                "words": disguise.hide(event.words) if event.words else event.words,
            }
        )
        for event in turn.meanwhile
    )
    return turn.model_copy(
        update={
            "customer": disguise.hide(turn.customer),
            "heard_up_to": disguise.hide(turn.heard_up_to) if turn.heard_up_to else turn.heard_up_to,
            "replies": tuple(_reply(reply, disguise) for reply in turn.replies),
            "tools": tuple(_run(run, disguise) for run in turn.tools),
            "meanwhile": tuple(meanwhile),
            "expect": _expectations(turn.expect, disguise),
        }
    )


def _reply(reply: Reply, disguise: Disguise) -> Reply:
    says = reply.says
    if isinstance(says, str):
        said: str | tuple[str, ...] = disguise.hide(says)
    else:
        said = tuple(filter(None, rewritten(says, disguise.spans("".join(says)))))
    return reply.model_copy(
        update={
            "says": said,
            "calls": tuple(_called(call, disguise) for call in reply.calls),
            "pieces": _pieces(reply, disguise),
        }
    )


def _called(call: Called, disguise: Disguise) -> Called:
    written = call.written
    if written is not None:
        written = rewritten([written], spans_in_arguments(written, disguise))[0]
    return call.model_copy(update={"arguments": hidden_in(call.arguments, disguise), "written": written})


def _pieces(reply: Reply, disguise: Disguise) -> tuple[Piece, ...]:
    """The pieces at their times; one that has become empty is left out."""
    texts = [piece.text for piece in reply.pieces if isinstance(piece, TextPiece)]
    joined = "".join(texts)
    left = iter(rewritten(texts, disguise.spans(joined, cut=reply.ends != "complete")))
    written = {
        index: iter(
            rewritten(
                [
                    piece.arguments
                    for piece in reply.pieces
                    if isinstance(piece, ArgumentsPiece) and piece.index == index
                ],
                spans_in_arguments(written_for(reply, index), disguise),
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


def _run(run: Run, disguise: Disguise) -> Run:
    return run.model_copy(
        update={
            "gives": hidden_in(run.gives, disguise),
            "refuses": disguise.hide(run.refuses),
            "for_model": disguise.hide(run.for_model) if run.for_model else run.for_model,
            "breaks": disguise.hide(run.breaks),
            "clause": disguise.hide(run.clause) if run.clause else run.clause,
            "arguments": hidden_in(run.arguments, disguise) if run.arguments is not None else None,
        }
    )


def _expectations(expect: Expectations, disguise: Disguise) -> Expectations:
    hears = (
        one.model_copy(
            update={
                "text": disguise.hide(one.text) if one.text else one.text,
                "text_contains": tuple(map(disguise.hide, one.text_contains)),
            }
        )
        for one in expect.hears
    )
    never = (
        one.model_copy(update={"text_contains": disguise.hide(one.text_contains)})
        if one.text_contains
        else one
        for one in expect.never
    )
    calls = expect.calls
    if calls is not None:
        calls = tuple(
            call.model_copy(update={"arguments": hidden_in(call.arguments, disguise)})
            if call.arguments
            else call
            for call in calls
        )
    return expect.model_copy(
        update={
            "scene": _scene(expect.scene, disguise) if expect.scene else expect.scene,
            "hears": tuple(hears),
            "never": tuple(never),
            "calls": calls,
        }
    )


def _scene(scene: str, disguise: Disguise) -> str:
    """Its lines; one that was stopped may end in the middle of a word."""
    lines: list[str] = []
    for line in scene.split("\n"):
        text = line.removesuffix(_CUT)
        lines.append(rewritten([text], disguise.spans(text, cut=text != line))[0] + line[len(text) :])
    return "\n".join(lines)
