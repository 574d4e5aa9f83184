"""Budgets of tokens and money: shorter answers before one is spent, an honest sentence after it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pytest
from structlog.testing import capture_logs

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import DecisionClosed, ModelAsked
from assistant.conversation.usage import SCOPES, BudgetScope, SpendingLimit, SpendingLimits, Spent, SpentToday
from assistant.errors import LogError
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.replay.recording.recorder import not_replayable
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import KEY, Chat, deps_for, open_chat
from assistant.testing.script import Line, Pause, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.turn.context import RoleModel
from assistant.turn.spending import BudgetReached, Spending
from tests.support.handoff_scenario import HandoffScenario
from tests.turn.conftest import Company

BILLING = "get_open_invoices"
TODAY = date(2026, 3, 9)


def scene(text: str) -> str:
    return "\n".join(line.removeprefix("        ") for line in text.strip("\n").splitlines()).rstrip()


def costing(line: Line, tokens: int, usd: float | None = None) -> Line:
    """A line for which the provider reports this number of tokens."""
    *steps, ended = line.steps
    assert isinstance(ended, StreamEnded)
    ended = replace(ended, input_tokens=tokens - tokens // 10, output_tokens=tokens // 10, cost_usd=usd)
    return Line((*steps, ended))


class Sums:
    """The store of sums, which can be ``away``."""

    def __init__(self) -> None:
        self.away = False
        self.asked = 0
        self.days: dict[tuple[str, str, date], Spent] = {}

    def _sums(self, tenant: str, customer: str, day: date) -> SpentToday:
        self.asked += 1
        if self.away:
            raise LogError("spending cannot be kept: the database is away")
        own, all_ = (self.days.get((tenant, whose, day), Spent()) for whose in (customer, ""))
        return SpentToday(customer=own, tenant=all_)

    async def spent(self, tenant: str, customer: str, day: date) -> SpentToday:
        return self._sums(tenant, customer, day)

    async def add(self, tenant: str, customer: str, day: date, more: Spent) -> SpentToday:
        self._sums(tenant, customer, day)
        for whose in (customer, ""):
            self.days[tenant, whose, day] = self.days.get((tenant, whose, day), Spent()) + more
        return self._sums(tenant, customer, day)

    async def erase(self, tenant: str, customer: str) -> int:
        raise NotImplementedError


@dataclass
class Shop:
    """A company with budgets."""

    company: Company
    sums: Sums = field(default_factory=Sums)
    reached: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def spending(self, soft_share: float = 0.8, **budgets: str) -> Spending:
        """``customer="500 tokens"`` limits what a customer may spend on a day."""
        limits: dict[BudgetScope, SpendingLimit] = {
            scope: SpendingLimit.parse(budgets[scope]) for scope in SCOPES if scope in budgets
        }
        spending = Spending(
            SpendingLimits(by_scope=limits, soft_share=soft_share), self.sums, self.company.clock
        )
        spending.listen(self._hear)
        return spending

    def _hear(self, reached: BudgetReached) -> None:
        self.reached.append((reached.assessment.scope, reached.assessment.stage))

    def opens(self, spending: Spending, *lines: Line, cheaper: Sequence[Line] | None = None) -> Chat:
        """A conversation of its own; with ``cheaper``, what the cheaper model says."""
        model = ScriptedModel(*lines, clock=self.company.clock)
        other = (
            ScriptedModel(*cheaper, clock=self.company.clock, name="cheap") if cheaper is not None else None
        )
        self.company.models.append(model)
        if other is not None:
            self.company.models.append(other)
        deps = deps_for(model, self.company.tools, shipped_book(), self.company.clock)
        role = RoleModel(model=model, cheaper=other)
        deps = replace(deps, spending=spending, models={"decider": role, "narrator": role})
        return open_chat(deps, MemoryLog())


@pytest.fixture
def shop(company: Company) -> Shop:
    return Shop(company)


async def test_without_budgets_nothing_is_counted(shop: Shop) -> None:
    ana = shop.company.chat(costing(says("Hello."), 10_000))

    assert await ana.says("Hi") == "Assistant: Hello."
    assert shop.sums.asked == 0


async def test_a_spent_conversation_gets_an_honest_sentence(shop: Shop) -> None:
    ana = shop.opens(shop.spending(conversation="1000 tokens"), costing(says("Hello."), 1_000))
    await ana.says("Hi")

    told = await ana.says("When are you open?")

    assert told == (
        "Assistant: I'm sorry, I have reached the limit of what I may answer in this conversation."
    )
    closed = [one.entry for one in ana.session.entries if isinstance(one.entry, DecisionClosed)]
    assert [one.how for one in closed] == ["complete", "conversation_budget"]
    assert ana.session.state.turns[-1].how == "apologised"
    assert shop.reached == [("conversation", "hard")]
    (note,) = not_replayable(ana.session.entries)
    assert note.startswith("a budget was spent")


async def test_a_nearly_spent_budget_uses_a_cheaper_model_and_fewer_words(shop: Shop) -> None:
    spending = shop.spending(conversation="1000 tokens")
    first, cheap = costing(says("Hello."), 800), costing(says("9 to 5."), 50)
    ana = shop.opens(spending, first, cheaper=[cheap])
    await ana.says("Hi")
    await ana.says("When are you open?")

    usual, cheaper = shop.company.models
    assert [one.entry.model for one in ana.session.entries if isinstance(one.entry, ModelAsked)] == [
        "scripted",
        "cheap",
    ]
    assert "keep it short" not in usual.requests[0].view.late
    assert "keep it short" in cheaper.requests[0].view.late
    assert shop.reached == [("conversation", "soft")]


async def test_without_a_cheaper_model_the_usual_one_writes_fewer_words(shop: Shop) -> None:
    spending = shop.spending(conversation="1000 tokens", soft_share=0.5)
    ana = shop.opens(spending, costing(says("Hello."), 500), costing(says("9 to 5."), 50))
    await ana.says("Hi")
    await ana.says("When are you open?")

    assert ["keep it short" in one.view.late for one in shop.company.model.requests] == [False, True]


async def test_results_are_told_although_the_budget_is_spent_meanwhile(shop: Shop) -> None:
    ana = shop.opens(shop.spending(turn="1000 tokens"), costing(calls(BILLING), 1_000))

    assert await ana.says("What do I owe?") == scene("""
        Assistant (acknowledgement): Let me see. I'll check your billing.
          [get_open_invoices ok]
        Assistant: From templates: get_open_invoices ok.
    """)


async def test_a_second_request_of_one_decision_is_not_made_beyond_the_budget(shop: Shop) -> None:
    ana = shop.opens(shop.spending(turn="1000 tokens"), costing(says("Let me check that."), 1_000))

    told = await ana.says("What do I owe?")

    assert told.splitlines()[-1] == (
        "Assistant: I'm sorry, this takes more work than I may do for one answer."
        " Please ask me for one part of it."
    )


async def test_agreed_calls_run_although_the_budget_is_spent(shop: Shop) -> None:
    cancel = ("cancel_appointment", {"day": "Tuesday"})
    ana = shop.opens(shop.spending(conversation="1000 tokens"), costing(calls(cancel), 1_000))
    asked = await ana.says("Cancel my eye test")
    done = await ana.says("Yes")

    assert "Shall I cancel your eye test on Tuesday at 2 pm?" in asked
    assert [arguments for arguments, _ in shop.company.cancel.ran] == [{"day": "Tuesday"}]
    assert done == scene("""
        Assistant (acknowledgement): All right, I'll cancel your appointment.
          [cancel_appointment ok]
        Assistant: From templates: cancel_appointment ok.
    """)


async def test_a_customers_day_is_counted_over_all_conversations(shop: Shop) -> None:
    spending = shop.spending(customer="0.10 USD")
    await shop.opens(spending, costing(says("Hello."), 500, usd=0.1)).says("Hi")

    told = await shop.opens(spending).says("Hi again")
    ben = shop.opens(spending, costing(says("Hello, Ben."), 500, usd=0.05))
    ben.session.key = replace(ben.session.key, customer="ben")

    assert "I have reached the limit of what I may answer today." in told
    assert {whose: round(one.usd, 2) for (_, whose, _), one in shop.sums.days.items()} == {
        "ana": 0.1,
        "": 0.1,
    }
    shop.company.models.pop()


async def test_the_next_day_begins_with_a_whole_budget(shop: Shop) -> None:
    spending = shop.spending(tenant="500 tokens")
    ana = shop.opens(spending, costing(says("Hello."), 500), costing(says("Good morning."), 500))
    await ana.says("Hi")
    today = await ana.says("Hi")
    await shop.company.clock.sleep(24 * 3600)

    assert "I can answer again tomorrow." in today
    assert await ana.says("Hi") == "Assistant: Good morning."
    assert shop.reached == [("tenant", "hard"), ("tenant", "hard")]


async def test_concurrent_turns_may_exceed_a_budget_by_what_they_spend(shop: Shop) -> None:
    """The margin: each server, and each turn, reads the sums once, before its first request."""
    servers = [shop.spending(tenant="1000 tokens") for _ in range(3)]
    slow = Line((Pause(1.0), *costing(says("Hello."), 900).steps))
    chats = [shop.opens(spending, slow) for spending in servers]
    for chat in chats:
        await chat.begins("Hi")
    for chat in chats:
        await chat.session.answered()
    late = shop.opens(servers[0])

    assert "limit of what I may answer today" in await late.says("Hi")
    # One turn within the budget, and two that ran at the same time.
    assert shop.sums.days["shop", "", shop.company.clock.now().date()].tokens == 900 + 2 * 900
    assert shop.reached == [("tenant", "soft"), ("tenant", "hard")]  # once each, on three servers


async def test_a_turn_continues_when_the_sums_cannot_be_read(shop: Shop) -> None:
    spending = shop.spending(customer="1000 tokens")
    ana = shop.opens(spending, *(costing(says(text), 400) for text in ("Hello.", "9 to 5.", "Yes.")))
    shop.sums.away = True
    with capture_logs() as lines:
        told = [await ana.says("Hi"), await ana.says("When are you open?"), await ana.says("Sure?")]
        refused = await ana.says("Hello?")
    shop.sums.away = False

    assert told == ["Assistant: Hello.", "Assistant: 9 to 5.", "Assistant: Yes."]
    assert "limit of what I may answer today" in refused  # this server's own sums decide
    assert "what turns have spent is counted later" in {line["event"] for line in lines}
    assert shop.sums.days == {}
    await spending.count_summary(ana.session.key, StreamEnded("stop", input_tokens=10, output_tokens=5))
    assert shop.sums.days["shop", "ana", shop.company.clock.now().date()].tokens == 1_215
    assert shop.reached == [("customer", "hard")]


async def test_a_customer_waits_two_seconds_for_a_silent_store(shop: Shop) -> None:
    async def never(*_: object) -> SpentToday:
        await shop.company.clock.sleep(3600)
        return SpentToday()

    spending = shop.spending(customer="1000 tokens")
    shop.sums.spent = never  # type: ignore[method-assign]
    ana = shop.opens(spending, costing(says("Hello."), 400))
    began = shop.company.clock.monotonic()

    assert await ana.says("Hi") == "Assistant: Hello."
    assert shop.company.clock.monotonic() - began == 2.0


async def test_a_stopped_request_counts_like_the_others(shop: Shop) -> None:
    slow = Line((Pause(5.0), *says("Never heard.").steps))
    ana = shop.opens(shop.spending(conversation="2000 tokens"), costing(says("Hello."), 1_000), slow)
    await ana.says("Hi")
    await ana.begins("When are you open?")
    await shop.company.clock.sleep(1.0)
    await ana.session.stop(None)

    assert "limit of what I may answer in this conversation" in await ana.says("Hello?")


async def test_a_request_that_fails_immediately_costs_nothing(shop: Shop) -> None:
    ana = shop.opens(shop.spending(conversation="100 tokens"), breaks(), costing(says("Hello."), 50))
    await ana.says("Hi")

    assert await ana.says("Hi") == "Assistant: Hello."


async def test_a_restart_says_the_sentence_once(shop: Shop) -> None:
    spending = shop.spending(conversation="1000 tokens")
    whole = shop.opens(spending, costing(says("Hello."), 1_000))
    await whole.says("Hi")
    expected = await whole.says("When are you open?")
    entries = list(whole.session.entries)
    began = next(one.seq for one in entries if one.turn_id == "t2")
    for kept in range(began, len(entries)):
        model = ScriptedModel(clock=shop.company.clock)
        deps = deps_for(model, shop.company.tools, shipped_book(), shop.company.clock)
        log = MemoryLog()
        await log.append(KEY, entries[:kept])
        ana = open_chat(replace(deps, spending=spending), log, entries[:kept])
        ana.session.resume()
        await ana.session.answered()

        assert ana.scene == expected, f"after {kept} entries"


TODAYS = "Es tut mir leid, ich habe die Grenze dessen erreicht, was ich heute beantworten darf."


@pytest.mark.parametrize(
    ("page", "sentence", "question", "yes", "told"),
    [
        (
            "en",
            "I'm sorry, I have reached the limit of what I may answer today. I can answer again tomorrow.",
            "Shall I get a colleague for you?",
            "Yes please",
            "I've asked my colleagues",
        ),
        (
            "de",
            f"{TODAYS} Ab morgen kann ich wieder antworten.",
            "Soll ich jemanden aus dem Team dazuholen?",
            "Ja bitte",
            "Ich habe jemanden aus unserem Team gebeten dazuzukommen",
        ),
    ],
)
async def test_an_agent_is_offered_and_requested_without_a_model(
    shop: Shop, page: str, sentence: str, question: str, yes: str, told: str
) -> None:
    spending = shop.spending(customer="100 tokens")
    shop.sums.days["shop", "ana", VirtualClock().now().date()] = Spent(tokens=100)
    narrate = Narration(shipped_book()).narrate_outcomes
    changes = {"spending": spending, "can_hand_over": True, "narrate": narrate}
    scenario = HandoffScenario(changes=changes)
    ana = await scenario.opens()
    ana.page = page

    asked = await ana.says("Where is my parcel?" if page == "en" else "Wo ist mein Paket?")
    agreed = await ana.says(yes)
    await scenario.stops(ana)

    assert sentence in asked
    assert question in asked
    assert told in agreed
    (request,) = scenario.backend.asked
    assert request.why in ("Where is my parcel?", "Wo ist mein Paket?")


async def test_an_agent_who_was_requested_is_not_offered_again(shop: Shop) -> None:
    spending = shop.spending(customer="100 tokens")
    shop.sums.days["shop", "ana", VirtualClock().now().date()] = Spent(tokens=100)
    scenario = HandoffScenario(changes={"spending": spending, "can_hand_over": True})
    ana = await scenario.opens()
    await ana.says("Hello?")
    await ana.says("Yes")

    assert "Shall I" not in await ana.says("Where is my parcel?")
    await scenario.stops(ana)
