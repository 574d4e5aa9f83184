"""How complaints name things, so that all of them read alike."""

from collections.abc import Iterable

from assistant.conversation.turn_state import SaidMessage
from assistant.conversation.values import MessageKind
from assistant.replay.expect.held import PlayedMessage, PlayedTurn


def quoted(text: str) -> str:
    """A text in quotation marks.

    >>> quoted("You owe $10.")
    '"You owe $10."'
    """
    return f'"{text}"'


def listed(texts: Iterable[str], otherwise: str = "none") -> str:
    """Several things in a row.

    >>> listed(["a", "b"]), listed([])
    ('a, b', 'none')
    """
    return ", ".join(texts) or otherwise


def ms(number: int) -> str:
    """A time.

    >>> ms(12345)
    '12,345 ms'
    """
    return f"{number:,} ms"


def a_kind(kind: MessageKind | None) -> str:
    """A message of this kind.

    >>> a_kind("acknowledgement"), a_kind("status"), a_kind(None)
    ('an acknowledgement', 'a status', 'a message')
    """
    match kind:
        case "acknowledgement":
            return "an acknowledgement"
        case "status" | "response":
            return f"a {kind}"
        case None:
            return "a message"


def the_message(message: SaidMessage) -> str:
    """A message that was said."""
    cut = ", interrupted" if message.interrupted else ""
    return f"the {message.kind or 'unfinished message'} {quoted(message.text)}{cut}"


def took_ms(turn: PlayedTurn, message: PlayedMessage) -> tuple[int, int]:
    """How long after the customer's message its first words came, and its last; 0 for one without words."""
    if message.began is None or message.ended is None:
        return 0, 0
    return message.began.at_ms - turn.said_ms, message.ended.at_ms - turn.said_ms
