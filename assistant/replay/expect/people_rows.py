"""What a person of the company had to do with a conversation, row by row."""

from collections.abc import Iterator, Mapping

from assistant.conversation.entries import CustomerSaid, Handoff, HumanSaid, Logged, PassedOn, TurnStarted
from assistant.replay.expect.held import PlayedTurn
from assistant.replay.played import Played


def people_rows(played: Played, turn: PlayedTurn) -> Iterator[tuple[Logged, str, str]]:
    """Entries from this turn's beginning to the next one's, each with who did it and what."""
    last = ""
    said: dict[str, str] = {}
    for logged in played.entries:
        match logged.entry:
            case TurnStarted(turn_id=id_):
                last = id_
            case CustomerSaid(message_id=id_, text=text):
                said[id_] = text
            case entry if last == turn.state.id:
                if (told := _told(entry, said)) is not None:
                    yield logged, *told
            case _:
                pass


def _told(entry: object, said: Mapping[str, str]) -> tuple[str, str] | None:
    match entry:
        case Handoff(state="accepted", name=name):
            return "", f"-- {name} has the conversation --"
        case Handoff(state=state, ticket=ticket):
            return "", f"-- a person: {state}{f' {ticket}' if ticket else ''} --"
        case HumanSaid(name=name, text=text):
            return name, text
        case PassedOn(message_id=id_):
            return "Customer", said.get(id_, "")
        case _:
            return None
