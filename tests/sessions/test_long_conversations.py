"""Two hundred turns under a small budget: fifty facts survive, views stay small, and no turn waits for a
summary.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from assistant.conversation.entries import Logged, Summary
from assistant.conversation.views import FromCustomer, View
from assistant.language.facts import is_supported, values_in, values_of
from assistant.memory.budget import Budget
from assistant.memory.token_sizes import turn_tokens
from assistant.models.tokens import Estimate
from assistant.prompts.book import shipped_book
from assistant.sessions.summaries import VERBATIM
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.script import Line, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import RoleModel
from tests.support.fake_summariser import FakeSummariser
from tests.turn.conftest import Company

TURNS, TOKENS, SLOW_S, BETWEEN_S = 200, 8_000, 60.0, 10.0

NAMES = ("Berg", "Weiss", "Okafor", "Lindqvist", "Moreau", "Tanaka", "Novak", "Silva", "Haddad", "Kowalski")
WISHES = (
    "Parcels should always go to the bakery next door",
    "Nobody may ring before breakfast, the baby sleeps",
    "Gift wrapping in plain brown paper is what they like",
    "I am allergic to nickel and anything plated",
    "Never substitute missing articles",
    "Our doorbell is broken, knock loudly instead",
    "Invoices belong to the accounting department",
    "Only vegetable oils for the leather, no wax",
    "Left-handed scissors were promised to me",
    "The courier should use the goods lift",
)
FACTS = (
    *(f"Order A-{10_480 + 7 * n} is for my colleague {name}." for n, name in enumerate(NAMES)),
    *(f"On invoice R-{300 + n} they charged {19 + 3 * n}.90 EUR." for n in range(8)),
    *(f"The repair of lamp L{50 + n} must end by {3 + n} December 2026." for n in range(8)),
    *(f"Write to {name.lower()}@{name.lower()}-trading.example about it." for name in NAMES[:7]),
    *(f"Deliver to Ahornweg {n}, 1{n:03}5 Berlin." for n in range(11, 18)),
    *(f"{wish}." for wish in WISHES),
)
TALK = (
    "Thanks, that helps a lot!",
    "Oh, I see.",
    "Okay, great.",
    "Hello again!",
    "Very good, thank you.",
    "Do you know what I mean?",
)
REPLY = (
    "Thank you for telling me. I am glad that this could be sorted out for you, and I am here for the rest."
)


def said_in(number: int) -> str:
    """What the customer says in a turn, from 0: a fact in every fourth, each fact once."""
    place, rest = divmod(number, 4)
    fact = FACTS[place] if rest == 1 else ""
    return " ".join(filter(None, (TALK[number % len(TALK)], fact)))


def holds(text: str, fact: str) -> bool:
    """Whether a fact is in a text: its values, or for a wish most of its words."""
    values = values_in(fact)
    if not values:
        said = fact.rstrip(".").lower().split()
        return sum(word in text.lower() for word in said) > 0.8 * len(said)
    known = values_of(text)
    return all(is_supported(value, known) for value in values)


def quoted(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if (place := line.find('"')) >= 0:
            yield json.JSONDecoder().raw_decode(line, place)[0]


def good(given: str) -> str:
    """Keeps every fact in few words, and drops the talk."""
    told = " ".join(quoted(given))
    return " ".join(fact for fact in FACTS if fact in told)


def forgetful(given: str) -> str:
    return "The customer and the assistant talked about orders, invoices and other things."


def failing(given: str) -> None:
    return None


Write = Callable[[str], str | None] | None
KINDS: dict[str, Write] = {"rules alone": None, "good": good, "forgetful": forgetful, "failing": failing}


def one_of_them(everyday: str, kinds: Sequence[str]) -> list[Any]:
    """These kinds, of which one is tried every day; two hundred turns take a while."""
    return [kind if kind == everyday else pytest.param(kind, marks=pytest.mark.slow) for kind in kinds]


class Long:
    """A conversation of two hundred turns, in as many lives as a test wants."""

    def __init__(self, company: Company, write: Write, after_s: float = SLOW_S) -> None:
        self.company = company
        self.summariser = FakeSummariser(company.clock, write, after_s) if write is not None else None
        self.lines: list[Line] = [says(REPLY) for _ in range(TURNS)]
        self.model = ScriptedModel()
        self.took_s: list[float] = []
        self.views: list[View] = []
        self.chat = self._opened([])

    def _opened(self, entries: Sequence[Logged], done: int = 0) -> Chat:
        company = self.company
        self.model = ScriptedModel(*self.lines[done:], clock=company.clock)
        deps = deps_for(self.model, company.tools, shipped_book(), company.clock)
        role = RoleModel(model=self.model, budget=Budget(tokens=TOKENS, counter=Estimate()))
        summariser = RoleModel(model=self.summariser) if self.summariser is not None else None
        models = {"decider": role, "narrator": role}
        return open_chat(replace(deps, models=models, summariser=summariser), company.log, entries)

    async def goes_on(self, first: int = 0, last: int = TURNS) -> None:
        for number in range(first, last):
            began = self.company.clock.monotonic()
            await self.chat.says(said_in(number), number=number + 1)
            self.took_s.append(self.company.clock.monotonic() - began)
            self.views.append(self.model.requests[-1].view)
            await self.company.clock.sleep(BETWEEN_S)

    async def begins_anew(self, done: int) -> None:
        """The process ends in the middle of whatever it was at; another one goes on."""
        await self.chat.session.close()
        self.chat = self._opened(await self.company.log.read(self.chat.session.key), done)
        await self.chat.session.welcome(None)

    @property
    def summaries(self) -> list[Summary]:
        return [logged.entry for logged in self.chat.session.entries if isinstance(logged.entry, Summary)]

    @property
    def remembered(self) -> str:
        """What a model would be given of all that was said: the summary, and the turns since, word for word."""
        last = self.summaries[-1]
        ids = [turn.id for turn in self.chat.session.state.turns]
        since = self.chat.session.state.turns[ids.index(last.last_turn_id) + 1 :]
        return "\n".join((last.text, *(turn.message.text for turn in since)))


def tokens(view: View) -> int:
    counter = Estimate()
    return counter.count(view.system) + sum(turn_tokens(turn, counter) for turn in view.turns)


@pytest.mark.parametrize("kind", one_of_them("forgetful", list(KINDS)))
async def test_fifty_facts_survive_two_hundred_turns(kind: str, company: Company) -> None:
    long = Long(company, KINDS[kind])

    await long.goes_on()
    await long.chat.session.at_rest()

    assert len(set(FACTS)) == 50
    assert [fact for fact in FACTS if not holds(long.remembered, fact)] == []
    assert len(long.summaries) >= 2
    assert {one.made_by for one in long.summaries} == {"model" if kind in ("good", "forgetful") else "rule"}
    assert max(long.took_s) < 0.01
    sizes = [tokens(view) for view in long.views]
    assert max(sizes) < TOKENS
    assert max(sizes[TURNS // 2 :]) <= 1.2 * max(sizes[: TURNS // 2])
    said = [message.text for message in long.views[-1].messages if isinstance(message, FromCustomer)]
    assert said_in(1) not in said
    assert "A-10480" in long.views[-1].system
    assert said[-VERBATIM:] == [said_in(number) for number in range(TURNS - VERBATIM, TURNS)]


@pytest.mark.parametrize("kind", one_of_them("failing", ["forgetful", "failing"]))
async def test_a_process_that_ends_in_the_middle_of_a_summary_loses_nothing(
    kind: str, company: Company
) -> None:
    long = Long(company, KINDS[kind])

    lives = range(0, TURNS, 23)
    for first in lives:
        await long.goes_on(first, min(first + 23, TURNS))
        if first + 23 < TURNS:
            await long.begins_anew(first + 23)
    await long.chat.session.at_rest()

    assert [fact for fact in FACTS if not holds(long.remembered, fact)] == []
    assert len({one.last_turn_id for one in long.summaries}) == len(long.summaries) >= 2
    assert max(long.took_s) < 0.01
