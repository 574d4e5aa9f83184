"""Cassettes of the player's tests, and what a customer has on the screen in the end."""

from collections.abc import Sequence
from datetime import datetime

from assistant.conversation.values import Json, JsonObject
from assistant.replay.cassette import Cassette, Event, Turn
from assistant.replay.played import Played
from assistant.replay.replies import Called, Declared, Ending, Reply, Run
from assistant.testing.scene import scene_of

MORNING = datetime.fromisoformat("2026-11-23T09:00:00+01:00")
TOOLS = (
    Declared(name="list_upcoming_appointments", waiting_hint="looking up your appointments"),
    Declared(name="get_open_invoices", waiting_hint="checking your billing"),
    Declared(name="get_order_status", waiting_hint="checking your order", arguments=("number",)),
    Declared(
        name="cancel_appointment",
        waiting_hint="cancelling it",
        effect="write",
        confirm=True,
        arguments=("day",),
    ),
)


def cassette(
    *turns: Turn,
    declares: Sequence[Declared] = TOOLS,
    now: datetime = MORNING,
    confirm_every_write: bool = False,
) -> Cassette:
    return Cassette(
        about="A test.",
        now=now,
        turns=turns,
        tools=tuple(declares),
        confirm_every_write=confirm_every_write,
    )


def decides(
    *calls: str | tuple[str, JsonObject],
    says: str | tuple[str, ...] = "",
    first_ms: int = 300,
    each_ms: int = 0,
    ends: Ending = "complete",
) -> Reply:
    called = [
        Called(tool=one) if isinstance(one, str) else Called(tool=one[0], arguments=one[1]) for one in calls
    ]
    return Reply(
        role="decider", says=says, calls=tuple(called), first_ms=first_ms, each_ms=each_ms, ends=ends
    )


def narrates(
    says: str | tuple[str, ...], *, first_ms: int = 300, each_ms: int = 10, ends: Ending = "complete"
) -> Reply:
    return Reply(role="narrator", says=says, first_ms=first_ms, each_ms=each_ms, ends=ends)


def gives(tool: str, value: Json, *, after_ms: int = 0, arguments: JsonObject | None = None) -> Run:
    return Run(tool=tool, does="returns", returns=value, after_ms=after_ms, arguments=arguments)


def refuses(tool: str, clause: str, *, after_ms: int = 0) -> Run:
    return Run(tool=tool, does="fails", fails=clause, after_ms=after_ms)


def asks(tool: str, clause: str, *, arguments: JsonObject | None = None) -> Run:
    return Run(tool=tool, does="asks", confirm=clause, arguments=arguments)


def stop(*, at_ms: int | None = None, after: str | None = None) -> Event:
    return Event(happens="stop", at_ms=at_ms, after=after)


def disconnect(for_ms: int, *, at_ms: int | None = None, after: str | None = None) -> Event:
    return Event(happens="disconnect", for_ms=for_ms, at_ms=at_ms, after=after)


def restart(*, at_ms: int | None = None, after: str | None = None) -> Event:
    return Event(happens="restart", at_ms=at_ms, after=after)


def two_lookups(*meanwhile: Event) -> Turn:
    """The acknowledgement at 300 ms, results at 350 and 500 ms, the response from 800 to 920 ms."""
    return Turn(
        customer="Check my appointments and billing",
        replies=(
            decides("list_upcoming_appointments", "get_open_invoices"),
            narrates("It's in Vienna on Tuesday at 2 pm. Billing is out of reach."),
        ),
        results=(
            gives("list_upcoming_appointments", [{"when": "2026-11-24T14:00"}], after_ms=200),
            refuses("get_open_invoices", "billing can't be reached", after_ms=50),
        ),
        meanwhile=meanwhile,
    )


TWO_LOOKUPS_SCENE = """
    Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
      [list_upcoming_appointments ok]
      [get_open_invoices failed]
    Assistant: It's in Vienna on Tuesday at 2 pm. Billing is out of reach.
"""


def thanks(*, after_ms: int = 0, at_ms: int | None = None, barge_in_ms: int | None = None) -> Turn:
    return Turn(
        customer="Thank you",
        replies=(decides(says="You are welcome."),),
        after_ms=after_ms,
        at_ms=at_ms,
        barge_in_ms=barge_in_ms,
    )


def cancelling(*meanwhile: Event) -> tuple[Turn, Turn]:
    """A side effect: asked about, and agreed to with the button; it runs from 0 to 100 ms after that."""
    return (
        Turn(
            customer="Cancel the one on Tuesday",
            replies=(decides(("cancel_appointment", {"day": "Tuesday"})),),
            results=(asks("cancel_appointment", "cancel your eye test on Tuesday"),),
        ),
        Turn(
            customer="Yes, please",
            button="yes",
            after_ms=1500,
            replies=(narrates("Your eye test on Tuesday is cancelled."),),
            results=(gives("cancel_appointment", {"cancelled": True}, after_ms=100),),
            meanwhile=meanwhile,
        ),
    )


def scenes(played: Played) -> list[str]:
    return [scene_of(turn) for turn in played.state.turns]


def types(played: Played) -> list[str]:
    return [str(heard.frame["type"]) for heard in played.frames]


def at(played: Played, kind: str) -> list[int]:
    """When frames of this type were heard."""
    return [heard.at_ms for heard in played.frames if heard.frame["type"] == kind]
