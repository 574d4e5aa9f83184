"""A report counts each visit once, reads only changed conversations, and never guesses deleted data."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Vector
from assistant.conversation.entries import Logged
from assistant.errors import LogError
from assistant.models.embedder import MiniLm, unit
from assistant.ports import Embedder
from assistant.reports.collect import Period, ReportMaker
from assistant.reports.summary import VisitOutcome
from assistant.store.sqlite.report_facts import SqliteFacts
from assistant.store.storage import LoggedConversation
from tests.support.logged_visits import DAY, MINUTE, LoggedVisits, failed, ok

NOW = 1_795_000_000_000
IDLE_MS = 30 * MINUTE
ALWAYS = Period(since_ms=0, until_ms=float("inf"), zone=UTC)


class FewWords:
    """An embedder for tests: texts with the same first word mean the same."""

    name, width = "few words", 8

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A unit vector for each first word."""
        words = sorted({text.split()[0] for text in texts})
        return [unit([float(word == text.split()[0]) for word in words]) for text in texts]


@dataclass
class Shop:
    """Conversations, and what makes reports of them."""

    facts: SqliteFacts
    kept: dict[ConversationKey, LoggedVisits] = field(default_factory=dict[ConversationKey, LoggedVisits])
    read_: list[str] = field(default_factory=list[str])
    broken: set[str] = field(default_factory=set[str])
    embedded: int = 0

    def says(self, conversation: str, said: LoggedVisits, customer: str = "") -> None:
        """Add a conversation, of a customer of its own if none is named."""
        key = ConversationKey(tenant="shop", customer=customer or conversation, conversation=conversation)
        self.kept[key] = said

    async def listed(self) -> list[LoggedConversation]:
        return [LoggedConversation(key, said.entries[-1].at_ms) for key, said in self.kept.items()]

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        self.read_.append(key.conversation)
        if key.conversation in self.broken:
            raise LogError("it is damaged")
        return self.kept[key].entries[after:]

    async def embedder(self) -> Embedder:
        self.embedded += 1
        return FewWords()

    def maker(self, kept_ms: int | None = None) -> ReportMaker:
        return ReportMaker(
            tenant="shop",
            conversations=self,
            store=self.facts,
            embedder=self.embedder,
            idle_ms=IDLE_MS,
            kept_ms=kept_ms,
        )

    async def outcomes(self, now_ms: int = NOW) -> dict[str, VisitOutcome]:
        """What the last visit of each conversation came to."""
        return {one.key.conversation: one.outcome for one in await self.maker().judged(UTC, now_ms)}


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    facts = SqliteFacts(tmp_path / "reports.db")
    yield Shop(facts)
    await facts.close()


def days_ago(days: float) -> LoggedVisits:
    return LoggedVisits(NOW - round(days * DAY))


async def test_each_visit_has_one_outcome(shop: Shop) -> None:
    bill = ("What do I owe?", ok("billing"))
    shop.says("confirmed", days_ago(9).asks(*bill).rates("up"))
    shop.says("not_contradicted", days_ago(9).asks(*bill))
    shop.says("waiting", days_ago(6).asks(*bill))
    shop.says("unresolved", days_ago(9).asks(*bill).rates("down"))
    shop.says("failed", days_ago(9).asks("What do I owe?", failed("billing")))
    shop.says("stopped", days_ago(9).asks(*bill, how="interrupted"))
    shop.says("question", days_ago(9).asks(*bill, how="awaiting_confirmation", question=True))
    shop.says("handed_over", days_ago(9).asks(*bill).hands_over("requested", "accepted", "ended").rates("up"))
    shop.says("ticket", days_ago(9).asks(*bill).hands_over("requested", "unavailable", "ticket"))
    shop.says("running", days_ago(0.001).asks(*bill))

    assert await shop.outcomes() == {
        "confirmed": "confirmed",
        "not_contradicted": "not_contradicted",
        "waiting": "waiting",
        "unresolved": "unresolved",
        "failed": "unresolved",
        "stopped": "abandoned",
        "question": "abandoned",
        "handed_over": "handed_over",
        "ticket": "ticket",
        "running": "running",
    }


async def test_a_customer_who_comes_back_within_seven_days_has_returned(shop: Shop) -> None:
    shop.says("first", days_ago(20).asks("What do I owe?", ok("billing")), "ana")
    shop.says("second", days_ago(14).asks("What do I owe?", ok("billing")), "ana")
    shop.says("eight days later", days_ago(6).asks("What do I owe?", ok("billing")), "ana")
    shop.says("another's", days_ago(13).asks("What do I owe?", ok("billing")), "ben")

    assert await shop.outcomes() == {
        "first": "returned",
        "second": "not_contradicted",
        "another's": "not_contradicted",
        "eight days later": "waiting",
    }


async def test_a_return_is_counted_after_a_confirmed_visit_too(shop: Shop) -> None:
    shop.says("c", days_ago(9).asks("Bill?", ok("b")).rates("up").waits(2 * DAY).asks("Bill?", ok("b")))

    report = await shop.maker().report(ALWAYS, NOW)

    assert (report.total.visits, report.total.outcomes["confirmed"], report.total.returned) == (2, 1, 1)


async def test_days_are_separate_and_the_total_has_all(shop: Shop) -> None:
    shop.says("a", days_ago(3).asks("What do I owe?", ok("billing"), cost_usd=0.04).rates("up"))
    shop.says("b", days_ago(1).asks("What do I owe?", failed("billing"), cost_usd=0.02))

    report = await shop.maker().report(ALWAYS, NOW)

    assert [(each.figures.visits, each.figures.rated_up) for each in report.days] == [(1, 1), (1, 0)]
    assert report.total.cost.per_turn_usd == pytest.approx(0.03)
    assert report.total.cost.per_confirmed_usd == pytest.approx(0.06)
    assert [(tool.calls, dict(tool.failures)) for tool in report.total.tools] == [(2, {"failed": 1})]
    assert (report.total.first_words.median_ms, report.total.first_fact.p95_ms) == (500, 1500)


async def test_an_unknown_cost_is_not_guessed(shop: Shop) -> None:
    shop.says("a", days_ago(3).asks("What do I owe?", ok("billing"), cost_usd=0.04).rates("up"))
    shop.says("b", days_ago(1).asks("What do I owe?", ok("billing"), cost_usd=None))

    cost = (await shop.maker().report(ALWAYS, NOW)).total.cost

    assert (cost.usd, cost.known_turns, cost.unknown_turns) == (0.04, 1, 1)
    assert (cost.per_turn_usd, cost.per_confirmed_usd) == (0.04, None)


async def test_only_conversations_with_new_entries_are_read_again(shop: Shop) -> None:
    shop.says("a", days_ago(3).asks("What do I owe?", ok("billing")))
    shop.says("b", days_ago(2).asks("What do I owe?", ok("billing")))
    first = await shop.maker().report(ALWAYS, NOW)
    shop.read_.clear()

    again = await shop.maker().report(ALWAYS, NOW)
    assert (shop.read_, again) == ([], first)

    next(iter(shop.kept.values())).waits(DAY).asks("And now?", ok("billing"))
    assert (await shop.maker().report(ALWAYS, NOW)).total.visits == 3
    assert shop.read_ == ["a"]


async def test_a_running_conversation_is_read_again(shop: Shop) -> None:
    said = LoggedVisits(NOW - 2000).asks("What do I owe?", ok("billing"), words_ms=1)
    shop.says("a", said)
    await shop.maker().report(ALWAYS, said.at_ms)
    said.rates("up")
    said.entries[-1] = Logged(said.entries[-1].seq, said.entries[-2].at_ms, "", said.entries[-1].entry)

    assert (await shop.maker().report(ALWAYS, said.at_ms)).total.rated_up == 1


async def test_of_deleted_conversations_only_the_number_is_known(shop: Shop) -> None:
    shop.says("a", days_ago(3).asks("What do I owe?", ok("billing")).rates("up"), "ana")
    shop.says("b", days_ago(3).asks("What do I owe?", ok("billing")), "ben")
    await shop.maker().report(ALWAYS, NOW)
    shop.kept.clear()
    await shop.facts.erase("shop", "ben")

    report = await shop.maker(kept_ms=2 * DAY).report(ALWAYS, NOW)

    assert (report.total.visits, report.total.rated_up, report.total.deleted) == (0, 0, 2)
    assert [(each.figures.visits, each.figures.deleted) for each in report.days] == [(0, 2)]
    assert report.kept_since_ms == NOW - 2 * DAY
    assert await shop.facts.load("shop", f"1/{IDLE_MS}/UTC") == {}


async def test_no_text_is_stored_between_reports(shop: Shop, tmp_path: Path) -> None:
    said = days_ago(3).asks("Where is orchid 4711?", answer="The orchid is here.").rates("down", "no orchid")
    shop.says("a", said.hands_over("requested", "unavailable", "ticket", why="an orchid"))
    await shop.maker().report(ALWAYS, NOW)

    assert b"orchid" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


async def test_unanswered_requests_are_grouped_by_meaning_and_masked(shop: Shop) -> None:
    ana = days_ago(3).identified("4711", "Ana Berg")
    shop.says("a", ana.asks("Bicycles for Ana Berg, do you have them?"))
    shop.says("b", days_ago(2).asks("Bicycles are sold in your shop?").asks("Mars has which weather today?"))
    shop.says("c", days_ago(2).asks("What do I owe?", ok("billing")))

    report = await shop.maker().report(ALWAYS, NOW)

    assert [(group.number, dict(group.reasons)) for group in report.unanswered] == [
        (2, {"no_lookup": 2}),
        (1, {"no_lookup": 1}),
    ]
    assert "Bicycles for <value>, do you have them?" in report.unanswered[0].examples
    assert set(report.unanswered[0].conversations) == {"a", "b"}
    assert report.total.unanswered == 3


async def test_the_embedded_model_is_loaded_only_for_groups(shop: Shop) -> None:
    shop.says("c", days_ago(2).asks("What do I owe?", ok("billing")))
    await shop.maker().report(ALWAYS, NOW)
    assert shop.embedded == 0

    shop.says(
        "d",
        days_ago(2).asks("What do I owe?", ok("billing")).hands_over("requested", "accepted", why="angry"),
    )
    report = await shop.maker().report(ALWAYS, NOW)

    assert shop.embedded == 1
    assert [(one.examples, dict(one.reasons)) for one in report.handoff_reasons] == [
        (("angry",), {"accepted": 1})
    ]


async def test_the_embedded_model_finds_equal_meanings(shop: Shop) -> None:
    for number, text in enumerate((
        "Do you repair bicycles?", "Can you fix my bike?", "Can I buy a gift card?", "Do you sell gift cards?"
    )):  # fmt: skip
        shop.says(f"v{number}", days_ago(2).asks(text))
    maker = shop.maker()

    async def embedded() -> Embedder:
        return MiniLm()

    maker.embedder = embedded
    report = await maker.report(ALWAYS, NOW)

    assert sorted(tuple(sorted(one.examples)) for one in report.unanswered) == [
        ("Can I buy a gift card?", "Do you sell gift cards?"),
        ("Can you fix my bike?", "Do you repair bicycles?"),
    ]


async def test_an_unreadable_conversation_is_named(shop: Shop) -> None:
    shop.says("a", days_ago(3).asks("What do I owe?", ok("billing")))
    shop.says("b", days_ago(3).asks("What do I owe?", ok("billing")))
    shop.broken.add("a")

    report = await shop.maker().report(ALWAYS, NOW)

    assert (report.total.visits, report.unreadable) == (1, 1)


async def test_a_report_of_a_period_has_the_visits_that_began_in_it(shop: Shop) -> None:
    shop.says("a", days_ago(9).asks("What do I owe?", ok("billing")))
    shop.says("b", days_ago(3).asks("What do I owe?", ok("billing")))

    report = await shop.maker().report(Period(since_ms=NOW - 7 * DAY, until_ms=NOW, zone=UTC), NOW)

    assert (report.total.visits, len(report.days)) == (1, 1)
