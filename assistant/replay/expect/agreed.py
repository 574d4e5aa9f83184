"""``agreed``: what must be asked about begins only after the customer has said yes to just that."""

from collections.abc import Iterator

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallStarted, ConfirmationAnswered, ConfirmationAsked
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held, PlayedTurn
from assistant.replay.expect.phrases import listed


def agreed(held: Held) -> Iterator[Complaint]:
    """Complain of each side effect that began without the yes that it needs."""
    asked: dict[str, tuple[Call, ...]] = {}
    allowed: list[Call] = []
    calls = {(turn.state.id, one.call.id): (turn, one.call) for turn in held.turns for one in turn.calls}
    for logged in held.played.entries:
        match logged.entry:
            case ConfirmationAsked(confirmation_id=id_, calls=about):
                asked[id_] = about
            case ConfirmationAnswered(confirmation_id=id_, answer="yes", agreed=only):
                allowed += [call for call in asked.get(id_, ()) if not only or call.id in only]
            case CallStarted(call_id=id_, tool=tool) if _must_be_asked(held, tool):
                turn, call = calls[logged.turn_id, id_]
                if not any((one.tool, one.arguments) == (tool, call.arguments) for one in allowed):
                    at_ms = logged.at_ms - held.played.began_ms
                    yield _complaint(turn, tool, allowed, at_ms, logged.seq)
            case _:
                pass


def _must_be_asked(held: Held, tool: str) -> bool:
    spec = held.specs.get(tool)
    if spec is None:
        return False
    return spec.confirm or (spec.effect == "write" and held.cassette.confirm_every_write)


def _complaint(turn: PlayedTurn, tool: str, allowed: list[Call], at_ms: int, seq: int) -> Complaint:
    return Complaint(
        turn=turn.number,
        check="agreed",
        expected=f"the customer's yes before {tool} begins",
        found=f"a yes to {listed((call.tool for call in allowed), 'nothing')}",
        at_ms=at_ms,
        seq=seq,
        place=("turns", turn.number - 1),
    )
