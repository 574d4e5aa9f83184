"""Staff supervise the assistant: in secret, reply by reply, or for a part of the customers."""

from dataclasses import dataclass, field

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import ReplyWithheld, ReviewDecided, ReviewDecision
from assistant.conversation.outcomes import CallDenied
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.errors import LogError
from assistant.ports import NoAgentAvailable
from assistant.recall.conversation import recall_conversation
from assistant.recall.rules import Rules
from assistant.replay.recording.recorder import not_replayable
from assistant.staff.launch import USUAL, Launch, LaunchMode
from assistant.staff.live_pauses import FRESH_S, LivePauses
from assistant.testing.chat import KEY, Chat, StoppingLog
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, breaks, calls, says
from assistant.turn.supervision import WHY_A_PERSON
from tests.support.handoff_scenario import HandoffScenario
from tests.support.memory_pauses import MemoryPauses
from tests.turn.conftest import Company

ASKED = (
    "Thank you for your message. I have asked a colleague to answer you here, which may take a few minutes."
)
WAITING = "My colleagues know that you are waiting, and one of them will answer you here."
CHECKING = "My answer is ready. A colleague reads it before you get it, which may take a minute."
INSTEAD = "A colleague will answer this for you personally, which may take a few minutes."
CANCEL = ("cancel_appointment", {"day": "2026-03-10"})


@dataclass
class Shop:
    """A company with agents, whose launch mode another server chooses."""

    company: Company
    store: MemoryPauses = field(default_factory=MemoryPauses)
    people: HandoffScenario = field(init=False)

    def __post_init__(self) -> None:
        clock = self.company.clock
        here = LivePauses("shop", self.store, clock)
        self.elsewhere = LivePauses("shop", self.store, clock)
        changes = {"can_hand_over": True, "pauses": here}
        self.people = HandoffScenario(tools=self.company.tools, clock=clock, changes=changes)

    async def opens(self, *lines: Line) -> Chat:
        return await self.people.opens(*lines)

    async def chooses(self, launch: Launch) -> None:
        await self.elsewhere.choose_launch(launch, account="a1", by="Kim", why="first week")
        await self.company.clock.sleep(FRESH_S)

    async def launches(self, mode: LaunchMode) -> None:
        await self.chooses(Launch(mode=mode, wait_s=60))

    async def decides(self, ana: Chat, decision: ReviewDecision, text: str = "") -> bool:
        turn = ana.session.state.turns[-1].id
        decided = ReviewDecided(decision=decision, account="a2", name="Lee", text=text)
        return await ana.session.decide_review(turn, decided)

    async def until_it_waits(self, ana: Chat) -> None:
        for _ in range(100):
            if ana.session.state.turns and ana.session.state.turns[-1].awaiting_review:
                return
            await self.company.clock.sleep(0.1)
        raise AssertionError(ana.transcript)


@pytest.fixture
def shop(company: Company) -> Shop:
    return Shop(company)


def withheld(ana: Chat) -> list[str]:
    return [one.entry.text for one in ana.session.entries if isinstance(one.entry, ReplyWithheld)]


async def test_in_a_shadow_launch_a_person_is_asked_and_the_answer_is_kept(shop: Shop) -> None:
    await shop.launches("shadow")
    ana = await shop.opens(calls("get_open_invoices"), says("You owe 150 euros."))

    await ana.says("What do I owe?")

    assert ana.transcript == ["customer: What do I owe?", f"assistant: {ASKED}"]
    assert withheld(ana)[-1] == "You owe 150 euros."
    assert len(shop.company.billing.ran) == 1
    [asked] = shop.people.backend.asked
    assert asked.why == WHY_A_PERSON["shadow"]
    assert next(line.text for line in asked.transcript) == "What do I owe?"
    await shop.people.stops(ana)


async def test_the_customer_is_told_before_the_model_has_answered(shop: Shop) -> None:
    await shop.launches("shadow")
    ana = await shop.opens(says("You can come any day.", first_s=30))

    await ana.begins("When do you open?")
    await shop.company.clock.sleep(1)

    assert ana.transcript == ["customer: When do you open?", f"assistant: {ASKED}"]
    assert await shop.people.states() == ["requested", "queued"]
    await ana.session.answered()
    assert ana.transcript[-1] == f"assistant: {ASKED}"
    await shop.people.stops(ana)


async def test_nothing_is_changed_in_a_shadow_launch(shop: Shop) -> None:
    await shop.launches("shadow")
    ana = await shop.opens(calls(CANCEL), says("I can't cancel it myself: a colleague can do that."))

    await ana.says("Cancel my appointment on March 10")

    assert shop.company.cancel.ran == []
    assert ana.session.state.question is None
    denied = ana.session.state.turns[-1].outcomes["c1.1"]
    assert isinstance(denied, CallDenied)
    assert "only people change anything" in denied.for_model
    assert withheld(ana)[-1] == "I can't cancel it myself: a colleague can do that."
    await shop.people.stops(ana)


async def test_the_next_model_does_not_believe_that_a_kept_answer_was_given(shop: Shop) -> None:
    await shop.launches("shadow")
    ana = await shop.opens(says("You can come any day."), says("On Sundays, too."))
    await ana.says("When do you open?")

    await ana.says("And on Sundays?")

    assert ana.transcript[-1] == f"assistant: {WAITING}"
    second = str(shop.people.models[-1].requests[-1].view)
    assert "When do you open?" in second
    assert "any day" not in second
    await shop.people.stops(ana)


async def test_an_agent_who_comes_early_still_gets_the_answer_to_read(shop: Shop) -> None:
    await shop.launches("shadow")
    ana = await shop.opens(says("You can come any day.", first_s=5))
    await ana.begins("When do you open?")
    await shop.company.clock.sleep(1)

    await shop.people.handoff.accept("Lee")
    await shop.people.handoff.say("p1", "Lee", "Any day!")
    await ana.session.answered()

    assert withheld(ana) == ["You can come any day."]
    assert ana.transcript == ["customer: When do you open?", f"assistant: {ASKED}", "person: Any day!"]
    await shop.people.stops(ana)


async def test_without_a_free_colleague_a_shadow_launch_opens_a_ticket(shop: Shop) -> None:
    await shop.launches("shadow")
    shop.people.backend.answer = NoAgentAvailable(why="no one is here")
    ana = await shop.opens(says("You can come any day."), says("You can come any day."))

    await ana.says("When do you open?")
    await shop.company.clock.sleep(1)

    assert "T-" in ana.transcript[-1]
    assert "any day" not in " ".join(ana.transcript)
    await ana.says("Hello?")
    assert "your reference is T-" in ana.transcript[-1]
    assert len(shop.people.backend.asked) == 1
    await shop.people.stops(ana)


async def test_a_late_result_of_a_shadow_launch_reaches_no_customer(shop: Shop) -> None:
    await shop.launches("shadow")
    shop.company.respec(shop.company.billing, timeout_s=90)
    shop.company.billing.behaviour = Gives(150, after_s=40)
    ana = await shop.opens(calls("get_open_invoices"), says("It takes longer."))

    await ana.says("What do I owe?")
    await shop.company.clock.sleep(15)
    await ana.session.at_rest()
    assert len(shop.company.billing.ran) == 1

    assert ana.transcript == ["customer: What do I owe?", f"assistant: {ASKED}"]
    await shop.people.stops(ana)


async def test_a_launch_mode_holds_on_each_server_within_two_seconds(shop: Shop) -> None:
    here, clock = shop.people.changes["pauses"], shop.company.clock
    for launch in (Launch(mode="shadow"), Launch(mode="approval", percent=20), USUAL):
        await here.now()
        await shop.elsewhere.choose_launch(launch, account="", by="command line")
        began = clock.monotonic()
        while (await here.now()).launch != launch:
            await clock.sleep(0.05)
        assert clock.monotonic() - began < 2
    assert await shop.store.list_pauses("shop") == []


async def test_only_a_share_of_the_customers_gets_the_assistant(shop: Shop) -> None:
    await shop.chooses(Launch(percent=0))
    ana = await shop.opens()

    await ana.says("When do you open?")

    assert ana.transcript == ["customer: When do you open?", f"assistant: {ASKED}"]
    assert [one.why for one in shop.people.backend.asked] == [WHY_A_PERSON["people"]]

    await ana.says("Hello?")
    assert ana.transcript[-1] == f"assistant: {WAITING}"
    await shop.people.stops(ana)


async def test_a_conversation_that_the_assistant_has_begun_stays_with_it(shop: Shop) -> None:
    ana = await shop.opens(says("You can come any day."), says("In the evening."))
    await ana.says("When do you open?")
    await shop.chooses(Launch(percent=0))

    await ana.says("And when do you close?")

    assert ana.transcript[-1] == "assistant: In the evening."
    await shop.people.stops(ana)


def test_a_larger_share_includes_everyone_of_a_smaller_one() -> None:
    def chosen(percent: int) -> set[str]:
        launch = Launch(percent=percent)
        ids = [f"customer-{number}" for number in range(1000)]
        return {one for one in ids if launch.includes(Customer(tenant="shop", id=one), one)}

    assert chosen(0) == set()
    assert len(chosen(100)) == 1000
    assert 200 < len(chosen(25)) < 300
    assert chosen(10) < chosen(25) < chosen(60)


@pytest.mark.parametrize(
    ("launch", "included"),
    [
        (Launch(levels=("signed_in",)), False),
        (Launch(levels=("verified", "signed_in")), True),
        (Launch(locales=("en",)), False),
        (Launch(locales=("de", "en")), True),
    ],
)
def test_levels_and_languages_choose_customers(launch: Launch, included: bool) -> None:
    ana = Customer(tenant="shop", id="ana", level="verified", locale="de-AT")
    assert launch.includes(ana, "ana") == included


async def test_a_reply_is_sent_when_a_colleague_approves_it(shop: Shop) -> None:
    await shop.launches("approval")
    ana = await shop.opens(calls("get_open_invoices"), says("You owe 150 euros."), says("Bye."))
    await ana.begins("What do I owe?")
    await shop.until_it_waits(ana)

    acknowledgement = "assistant: Let me see. I'll check your billing."
    assert ana.transcript == ["customer: What do I owe?", acknowledgement, f"assistant: {CHECKING}"]
    assert await shop.decides(ana, "approved")
    await ana.session.answered()

    assert ana.transcript[-1] == "assistant: You owe 150 euros."
    assert not await shop.decides(ana, "rejected")
    assert shop.people.backend.asked == []

    await ana.begins("Thanks")
    await shop.until_it_waits(ana)
    assert "You owe 150 euros." in str(shop.people.models[-1].requests[-1].view)
    await shop.people.stops(ana)


async def test_an_edited_reply_is_the_colleagues(shop: Shop) -> None:
    await shop.launches("approval")
    ana = await shop.opens(says("You can come any day."))
    await ana.begins("When do you open?")
    await shop.until_it_waits(ana)

    await shop.decides(ana, "edited", "At eight, since Monday.")
    await ana.session.answered()

    assert ana.transcript[-1] == "person: At eight, since Monday."
    assert "any day" not in " ".join(ana.transcript)
    await shop.people.stops(ana)


@pytest.mark.parametrize("decision", ["rejected", "expired"])
async def test_a_reply_that_no_one_approves_goes_to_the_inbox(shop: Shop, decision: ReviewDecision) -> None:
    await shop.launches("approval")
    ana = await shop.opens(says("You can come any day."))
    await ana.begins("When do you open?")
    await shop.until_it_waits(ana)

    if decision == "rejected":
        await shop.decides(ana, "rejected")
    else:
        await shop.company.clock.sleep(59)
        assert ana.session.state.turns[-1].awaiting_review
        await shop.company.clock.sleep(2)
    await ana.session.answered()

    assert ana.transcript[1:] == [f"assistant: {CHECKING}", f"assistant: {INSTEAD}"]
    assert [one.why for one in shop.people.backend.asked] == [WHY_A_PERSON[decision]]
    await shop.people.stops(ana)


async def test_a_question_before_a_change_comes_after_the_approved_reply(shop: Shop) -> None:
    await shop.launches("approval")
    ana = await shop.opens(calls("get_open_invoices", CANCEL), says("You owe 150 euros."))
    await ana.begins("What do I owe? And cancel my appointment on March 10")
    await shop.until_it_waits(ana)
    assert ana.session.state.question is None

    await shop.decides(ana, "approved")
    await ana.session.answered()

    assert "You owe 150 euros." in ana.transcript[-2]
    assert "Shall I cancel" in ana.transcript[-1]
    await shop.people.stops(ana)


async def test_a_rejected_reply_asks_no_question(shop: Shop) -> None:
    await shop.launches("approval")
    ana = await shop.opens(calls("get_open_invoices", CANCEL), says("You owe 150 euros."))
    await ana.begins("What do I owe? And cancel my appointment on March 10")
    await shop.until_it_waits(ana)

    await shop.decides(ana, "rejected")
    await ana.session.answered()

    assert ana.session.state.question is None
    assert shop.company.cancel.ran == []
    await shop.people.stops(ana)


async def test_a_waiting_reply_survives_a_restart(shop: Shop) -> None:
    await shop.launches("approval")
    ana = await shop.opens(calls("get_open_invoices"), says("You owe 150 euros."))
    await ana.begins("What do I owe?")
    await shop.until_it_waits(ana)
    await shop.people.stops(ana)

    ana = await shop.opens()
    await shop.until_it_waits(ana)
    assert ana.transcript.count(f"assistant: {CHECKING}") == 1
    await shop.decides(ana, "approved")
    await ana.session.answered()

    assert ana.transcript[-1] == "assistant: You owe 150 euros."
    assert len(shop.company.billing.ran) == 1
    await shop.people.stops(ana)


async def test_an_agent_who_takes_over_withdraws_the_waiting_reply(shop: Shop) -> None:
    await shop.launches("approval")
    ana = await shop.opens(says("You can come any day."))
    await ana.begins("When do you open?")
    await shop.until_it_waits(ana)

    await shop.people.handoff.accept("Lee")

    assert not await shop.decides(ana, "approved")
    assert ana.transcript[1:] == [f"assistant: {CHECKING}"]
    await shop.people.stops(ana)


@pytest.mark.parametrize("mode", ["shadow", "approval"])
async def test_a_broken_model_shows_nothing_that_no_one_approved(shop: Shop, mode: LaunchMode) -> None:
    await shop.launches(mode)
    ana = await shop.opens(breaks("You can come"), breaks("You"))

    await ana.says("When do you open?")

    assert "can come" not in " ".join(ana.transcript[1:])
    await shop.people.stops(ana)


async def test_a_recorded_conversation_says_that_staff_supervised_it(shop: Shop) -> None:
    await shop.launches("shadow")
    ana = await shop.opens(says("Gladly."))
    await ana.says("Thanks")

    assert not_replayable(ana.session.entries) == [
        "staff supervised a turn (shadow); in a replay the assistant answers as usual"
    ]
    assert (
        await recall_conversation(KEY, ana.session.entries, Rules(ana.session.config.deps))
    ).failures == []
    await shop.people.stops(ana)


@pytest.mark.parametrize("mode", ["shadow", "approval"])
async def test_a_stop_at_any_entry_loses_nothing_and_sends_nothing_twice(mode: LaunchMode) -> None:
    whole = await _supervised(mode, StoppingLog(10_000))
    for most in range(1, len(whole.kept)):
        cut = await _supervised(mode, StoppingLog(most))
        resumed = await _supervised(mode, StoppingLog(10_000, kept=list(cut.kept)))
        assert _shown(resumed) == _shown(whole), most
        assert [one.entry for one in resumed.kept if isinstance(one.entry, ReplyWithheld)][
            -1
        ].text == "Gladly."


async def _supervised(mode: LaunchMode, log: StoppingLog) -> StoppingLog:
    shop = Shop(Company())
    shop.people.log = log
    await shop.launches(mode)
    ana = await shop.opens(*[says("Gladly.")] * 2)
    try:
        if not ana.session.state.said:
            await ana.begins("Thanks")
        for _ in range(20):
            await shop.company.clock.sleep(0.1)
            if ana.session.state.turns:
                await shop.decides(ana, "approved")
        await ana.session.answered()
    except LogError:
        pass
    await shop.people.stops(ana)
    return log


def _shown(log: StoppingLog) -> list[str]:
    return [line.text for line in transcript(ConversationState(log.kept))]
