"""Customers interrupt at any instant: silence follows immediately, and the history is what they heard, word for
word.
"""

import random
from dataclasses import replace

import pytest

from assistant.conversation.turn_state import AssistantMessage, is_heard_out
from assistant.conversation.views import FromAssistant, TurnView
from assistant.prompts.book import shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import run_virtually
from assistant.turn.context import RoleModel
from assistant.voice.endpointing import DEFAULT_ENDPOINTING
from tests.support.spoken_chat import Sound, SpokenChat
from tests.turn.conftest import Company

TOLD = "You are booked for Tuesday the tenth of March, at two. Please bring your glasses. You owe 150 euros."
CHAT = "Doctor Weber is in our new shop in the town all day. Please bring your glasses. You owe us nothing."
UNTOLD = "As I was saying, you owe 150 euros."
BOTH = calls("list_upcoming_appointments", "get_open_invoices", first_s=0.2)
GLADLY = says("Gladly.")

SEED = 20_261_122
A_FEW, IN_ALL = 90, 1_000
AT_ONCE_S = 0.15
ROUNDED_S = 0.001


class Interrupted:
    """A company that answers, with or without looking something up first, and a customer who interrupts it."""

    def __init__(self, lookup_s: float | None) -> None:
        company = Company()
        told = says(CHAT if lookup_s is None else TOLD, first_s=0.3, each_s=0.02)
        untold = [says(UNTOLD)] * 3
        self.clock = company.clock
        self.decider = ScriptedModel(told if lookup_s is None else BOTH, GLADLY, GLADLY, clock=self.clock)
        narrated = untold if lookup_s is None else [told, *untold]
        self.narrator = ScriptedModel(*narrated, clock=self.clock)
        company.appointments.behaviour = Gives(["2026-03-10T14:00"], after_s=lookup_s or 0.0)
        deps = deps_for(self.decider, company.tools, shipped_book(), self.clock)
        models = {"decider": RoleModel(model=self.decider), "narrator": RoleModel(model=self.narrator)}
        self.chat = open_chat(replace(deps, models=models), MemoryLog())
        self.ana = SpokenChat(
            chat=self.chat, clock=self.clock, understood=["What do I owe?", "And my order?"]
        )
        # An acknowledgement is worth its while, for these lookups take long.
        self.ana.voice.waits.note(["list_upcoming_appointments"], 3.0)
        self.onset, self.guarded_until = 0.0, 0.0
        self.playing: Sound | None = None

    async def is_interrupted(self, after_s: float) -> None:
        """The whole conversation, interrupted this long after the first words were heard."""
        async with self.ana as ana:
            ana.speaks(0.3)
            while not ana.loudspeaker.sounds:
                await self.clock.sleep(0.02)
            self.guarded_until = ana.now + DEFAULT_ENDPOINTING.echo_guard_s
            await self.clock.sleep(after_s)
            self.playing = ana.loudspeaker.playing
            self.onset = ana.speaks(0.7)
            await self.clock.sleep(0.7)
            await ana.listens()

    def check(self) -> None:
        """Silence came at once, and the next turn knows what was heard."""
        first, *later = self.chat.session.state.turns
        assert [turn.message.text for turn in later if not turn.unasked] == ["And my order?"]
        self.check_silence()
        for message in first.messages:
            assert readable_of(message) == self.ana.loudspeaker.heard(message.id), message
        response = next((one for one in first.messages if one.kind == "response"), None)
        played = self.ana.loudspeaker.heard(response.id) if response is not None else ""
        whole = response is not None and is_heard_out(response)
        view = self.decider.requests[-1].view.turns[0]
        assert last_said(view) == (played if whole else f"{played}…")
        self.check_told_once(response)

    def check_silence(self) -> None:
        if self.playing is None or self.playing.clip.message_id is None:
            return
        silent = [at for at in self.ana.loudspeaker.silent_at if at >= self.onset]
        ended = [self.playing.ended_at] if self.playing.ended_at is not None else []
        latest = max(self.onset, self.guarded_until) + AT_ONCE_S
        assert min([*silent, *ended]) <= latest + ROUNDED_S

    def check_told_once(self, response: AssistantMessage | None) -> None:
        """What was not heard of the results is told after the next answer; what was heard is not."""
        first, *later = self.chat.session.state.turns
        again = [one.text for turn in later for one in turn.messages if "150" in one.text]
        missed = response is None or "150" not in self.ana.loudspeaker.heard(response.id)
        assert len(again) == (1 if first.results and missed else 0)


def readable_of(message: AssistantMessage) -> str:
    """So much of it as the log says was heard."""
    return message.text[: message.heard].rstrip() if message.heard is not None else message.text


def last_said(view: TurnView) -> str:
    last = view.messages[-1]
    return last.text if isinstance(last, FromAssistant) else ""


def talk_s(lookup_s: float | None) -> float:
    """How long the assistant talks without an interruption, from the first word to the last."""
    trial = Interrupted(lookup_s)

    async def whole() -> None:
        async with trial.ana as ana:
            await ana.says(0.3)

    run_virtually(whole())
    sounds = trial.ana.loudspeaker.sounds
    assert sounds[0].began_at is not None
    assert sounds[-1].ended_at is not None
    return sounds[-1].ended_at - sounds[0].began_at


def interrupted_often(times: int, lookup_s: float | None) -> None:
    """This number of conversations, each interrupted at a different instant."""
    chances = random.Random(SEED)
    longest_s = talk_s(lookup_s)
    for _ in range(times):
        after_s = chances.uniform(0.0, longest_s)
        trial = Interrupted(lookup_s)
        run_virtually(trial.is_interrupted(after_s))
        try:
            trial.check()
        except AssertionError as error:
            raise AssertionError(f"interrupted after {after_s} s: {error}") from error


LOOKUPS = [None, 0.4, 2.5]


@pytest.mark.parametrize("lookup_s", LOOKUPS)
def test_silence_comes_immediately_and_the_history_is_what_was_heard(lookup_s: float | None) -> None:
    interrupted_often(A_FEW // len(LOOKUPS), lookup_s)


@pytest.mark.slow
@pytest.mark.parametrize("lookup_s", LOOKUPS)
def test_a_thousand_interruptions_keep_the_rules(lookup_s: float | None) -> None:
    interrupted_often(IN_ALL // len(LOOKUPS) + 1, lookup_s)
