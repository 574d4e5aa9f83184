"""What a recorded conversation's models are given, on today's prompts and on the edited ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant.assembly.context_inspector import Asking, askings_of, overhear
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import ModelRole
from assistant.errors import AssistantError
from assistant.ports import ModelRequest
from assistant.replay.cassette import Cassette
from assistant.replay.checks.transcript import played_turns
from assistant.replay.played import Played
from assistant.replay.player.notes import Notes
from assistant.replay.player.play import parts_of
from assistant.replay.player.runs import AnyRuns
from assistant.replay.player.stage import Stage
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.parts import Parts

ROLES: tuple[ModelRole, ...] = ("decider", "narrator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One moment at which a model was asked, in the cassette's ``turn``-th turn: both versions of the request.

    ``round`` is that of the turn's decisions, from 1.
    """

    turn: int
    round: int
    role: ModelRole
    today: ModelRequest
    edited: ModelRequest

    @property
    def differs(self) -> bool:
        """Whether the model would have read anything else."""
        return self.today.view.instructions != self.edited.view.instructions


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """On one of the versions the turn does not come to this request: ``why``."""

    turn: int
    role: ModelRole
    why: str


def given_in(cassette: Cassette, played: Played, today: Stage, edited: Stage) -> Iterator[Given | NotAsked]:
    """Every request of a conversation, as it was played on ``today``; oldest first. Nothing is sent or run."""
    numbers = {turn.state.id: turn.number for turn in played_turns(played)}
    askings: list[tuple[Asking, ModelRole]] = [
        (asking, role) for role in ROLES for asking in askings_of(played.entries, role)
    ]
    for asking, role in sorted(askings, key=lambda one: one[0].asked.seq):
        number = numbers[asking.asked.turn_id]
        try:
            yield Given(
                turn=number,
                round=getattr(asking.asked.entry, "round", 1),
                role=role,
                today=_request(asking, cassette, today),
                edited=_request(asking, cassette, edited),
            )
        except AssistantError as error:
            yield NotAsked(turn=number, role=role, why=str(error))


def _request(asking: Asking, cassette: Cassette, stage: Stage) -> ModelRequest:
    then = datetime.fromtimestamp(asking.asked.at_ms / 1000, UTC)
    clock = VirtualClock(then, cassette.now.tzinfo)
    who = cassette.customer
    key = ConversationKey(tenant=who.tenant, customer=who.id, conversation="replayed")
    return run_virtually(overhear(asking, key, _parts(cassette, stage, clock)))


def _parts(cassette: Cassette, stage: Stage, clock: VirtualClock) -> Parts:
    """What the turn ran on. Its tools are the cassette's: they are asked for the words of a question again."""
    notes = Notes()
    return parts_of(cassette, stage, {}, AnyRuns(cassette, notes), clock, notes)
