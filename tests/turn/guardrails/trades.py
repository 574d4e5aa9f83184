"""Two companies with models that tell results and actions: the demo shop's optician, and a small hotel."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import SentenceSuppressed
from assistant.conversation.media import Media
from assistant.conversation.tool_spec import Hint, ToolRole, ToolSpec
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.language.words import words
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.script import Line, calls, says
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.tools.discovery import discover

_PHOTO = (Media.of(b"%PDF-1.7", name="delivery.pdf"),)
NOW = datetime.fromisoformat("2026-11-21T10:00:00+01:00")
ROOT = Path(__file__).parents[3]
BOOK = shipped_book()

CallOf = tuple[str, JsonObject]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """A company: its tools, what they give, and its documents, a passage each."""

    specs: Mapping[str, ToolSpec]
    gives: Mapping[str, Json]
    passages: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A message, what is called for it, and how the model answers then."""

    say: str
    calls: Sequence[CallOf] = ()
    text: str


@dataclass(frozen=True, slots=True)
class Narrated:
    """What the customer was shown of the last step, and what was kept back in it: by whom, and the sentence."""

    shown: str
    kept: Sequence[tuple[str, str]]


class _Stubborn:
    """A model that says the same again when it is asked again."""

    def __init__(self) -> None:
        self.name = "stubborn"
        self.step = Step(say="", text="")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk]:
        decides = request.role == "decider" and self.step.calls
        line: Line = calls(*self.step.calls) if decides else says(self.step.text)
        for chunk in line.steps:
            yield chunk  # type: ignore[misc] # pyright: ignore[reportReturnType]

    async def close(self) -> None:
        """Nothing to do."""


def narrate(trade: Trade, steps: Sequence[Step], locale: str = "en", *, closed: bool = False) -> Narrated:
    """Play these steps, every call of them agreed to, and say what was shown in the last one."""
    return run_virtually(_narrate(trade, steps, locale, closed=closed))


async def _narrate(trade: Trade, steps: Sequence[Step], locale: str, *, closed: bool) -> Narrated:
    clock, model = VirtualClock(NOW), _Stubborn()
    gives = {**trade.gives, "talk_to_a_person": _person(locale, closed=closed)}
    tools = [
        FakeTool(spec, Gives(gives.get(name), media=_PHOTO if name == "get_delivery_photo" else ()), clock)
        for name, spec in trade.specs.items()
    ]
    deps = deps_for(model, tools, BOOK, clock, narrate=Narration(BOOK).narrate_outcomes)
    chat = open_chat(deps, MemoryLog())
    chat.page = locale
    for step in steps:
        for tool in tools:
            if tool.spec.role == "searches":
                tool.behaviour = Gives(_found(trade, step, locale))
        model.step = step
        await chat.says(step.say)
    turn = chat.session.state.turns[-1]
    kept = [
        (one.entry.guardrail, one.entry.text)
        for one in chat.session.entries
        if isinstance(one.entry, SentenceSuppressed) and one.turn_id == turn.id
    ]
    shown = [one.text for one in turn.messages if one.model_written or one.kind == "response"]
    return Narrated("".join(shown).strip(), kept)


def _found(trade: Trade, step: Step, locale: str) -> Json:
    """The ten passages that have most words of the question and of the answer; none for what is not there."""
    question = next((str(arguments.get("question")) for _, arguments in step.calls if arguments), "")
    asked = {word[:5] for word in words(f"{question} {step.text}") if len(word) > 3}
    scored = sorted(
        (
            (len(asked & {word[:5] for word in words(text)}), -at, text)
            for at, text in enumerate(trade.passages)
        ),
        reverse=True,
    )
    # A German question finds English passages by what they mean, which words do not show.
    found = trade.passages if locale == "de" else [text for score, _, text in scored if score][:10]
    return [{"source": "Terms", "place": "", "text": text} for text in found]


def _person(locale: str, *, closed: bool) -> Json:
    state = "unavailable" if closed else "queued"
    return {"state": state, "ticket": "T-1" if closed else None, "tell": "..."}


def _spec(
    name: str,
    en: tuple[str, str],
    de: tuple[str, str],
    *arguments: str,
    effect: Effect = "read",
    role: ToolRole = "tool",
) -> ToolSpec:
    return ToolSpec(
        name=name,
        description=en[1].capitalize() + ".",
        parameters={"type": "object", "properties": {each: {"type": "string"} for each in arguments}},
        hints={"en": Hint(doing=en[0], will=en[1]), "de": Hint(doing=de[0], will=de[1])},
        effect=effect,
        role=role,
    )


_SEARCH = _spec(
    "search_documents",
    ("searching our documents", "search our documents"),
    ("unsere Unterlagen durchsuchen", "durchsuche unsere Unterlagen"),
    "question",
    role="searches",
)
_PERSON = _spec(
    "talk_to_a_person",
    ("getting a colleague for you", "get a colleague for you"),
    ("jemanden aus unserem Team holen", "hole jemanden aus unserem Team"),
    "reason",
    role="hands_over",
)


@cache
def optician() -> Trade:
    """The demo shop, with its own tools' declarations."""
    specs = {
        tool.spec.name: replace(tool.spec, confirm=False, requires="anonymous")
        for tool in discover(ROOT / "tools")
    }
    specs |= {_SEARCH.name: _SEARCH, _PERSON.name: _PERSON}
    passages = [
        text.strip()
        for path in sorted((ROOT / "knowledge").glob("*.md"))
        for text in re.split(r"\n(?=##? )", path.read_text())
    ]
    return Trade(specs=specs, gives=_OPTICIAN, passages=passages)


_ORDERS: Mapping[str, JsonObject] = {
    "10482": {
        "number": "10482",
        "product": "monthly contact lenses",
        "status": "shipped",
        "arrives": "2026-11-25",
    },
    "10455": {"number": "10455", "product": "sunglasses", "status": "processing", "arrives": "2026-12-02"},
    "10431": {"number": "10431", "product": "care kit", "status": "delivered", "arrives": "2026-11-11"},
}
_OPTICIAN: Mapping[str, Json] = {
    "list_upcoming_appointments": [
        {"id": "A1001", "service": "eye test", "optician": "Dr. Lee", "starts": "2026-11-24T14:00"},
        {"id": "A1002", "service": "lens fitting", "optician": "Dr. Novak", "starts": "2026-12-04T10:30"},
    ],
    "get_open_invoices": {
        "balance": "150.00",
        "invoices": [
            {"number": "2041", "subject": "sunglasses", "amount": "120.00", "due": "2026-12-03"},
            {"number": "2057", "subject": "monthly contact lenses", "amount": "30.00", "due": "2026-12-13"},
        ],
    },
    "get_order_status": list(_ORDERS.values()),
    "find_free_slots": {
        "days": [
            {"day": "2026-11-24", "times": ["09:00", "09:30", "10:00"]},
            {"day": "2026-11-25", "times": ["15:00"]},
        ]
    },
    "get_opening_hours": {
        "hours": [
            {"first": "Monday", "last": "Friday", "opens": "09:00", "closes": "18:00"},
            {"first": "Saturday", "last": "Saturday", "opens": "10:00", "closes": "16:00"},
        ],
        "closed": ["Sunday"],
    },
    "get_delivery_photo": {"number": 10431, "product": "care kit", "delivered": "2026-11-11"},
    "send_code": {"email": "demo@example.com", "minutes": 10},
    "book_appointment": {"id": "A1003", "service": "eye test", "starts": "2026-11-25T15:00"},
    "cancel_appointment": {"id": "A1001", "service": "eye test", "starts": "2026-11-24T14:00"},
    "reschedule_appointment": {"id": "A1001", "service": "eye test", "starts": "2026-11-26T14:00"},
    "cancel_order": {"number": "10455", "product": "sunglasses"},
    "update_contact_details": {"email": "a@b.com", "phone": None},
}


@cache
def inn() -> Trade:
    """Harbour Inn, a hotel."""
    specs = (
        _spec(
            "list_reservations",
            ("looking up your reservations", "look up your reservations"),
            ("Ihre Reservierungen heraussuchen", "suche Ihre Reservierungen heraus"),
        ),
        _spec(
            "get_bill",
            ("checking your bill", "check your bill"),
            ("Ihre Rechnung prüfen", "prüfe Ihre Rechnung"),
        ),
        _spec(
            "find_free_rooms",
            ("looking for a free room", "look for a free room"),
            ("nach einem freien Zimmer suchen", "suche nach einem freien Zimmer"),
            "arrives",
            "leaves",
        ),
        _spec(
            "cancel_reservation",
            ("cancelling your reservation", "cancel your reservation"),
            ("Ihre Reservierung stornieren", "storniere Ihre Reservierung"),
            "number",
            effect="write",
        ),
        _spec(
            "change_dates",
            ("changing the dates of your stay", "change the dates of your stay"),
            ("Ihren Aufenthalt verlegen", "verlege Ihren Aufenthalt"),
            "number",
            "arrives",
            "leaves",
            effect="write",
        ),
        _spec(
            "add_breakfast",
            ("adding breakfast to your stay", "add breakfast to your stay"),
            ("Frühstück hinzufügen", "füge Frühstück hinzu"),
            "number",
            "guests",
            effect="write",
        ),
        _spec(
            "request_late_checkout",
            ("requesting a late check-out", "request a late check-out"),
            ("einen späten Check-out anfragen", "frage einen späten Check-out an"),
            "number",
            "time",
            effect="write",
        ),
        _spec(
            "send_invoice",
            ("sending your invoice", "send your invoice"),
            ("Ihre Rechnung senden", "sende Ihre Rechnung"),
            "email",
            effect="write",
        ),
        _spec(
            "talk_to_reception",
            ("asking the reception", "ask the reception"),
            ("an der Rezeption nachfragen", "frage an der Rezeption nach"),
            "reason",
            effect="write",
        ),
        _SEARCH,
        _PERSON,
    )
    return Trade(specs={spec.name: spec for spec in specs}, gives=_INN, passages=_HOUSE_RULES)


_INN: Mapping[str, Json] = {
    "list_reservations": [
        {
            "number": "R-5521",
            "room": "double room, sea view",
            "arrives": "2026-12-11",
            "leaves": "2026-12-14",
            "guests": 2,
            "total": "387.00",
            "state": "confirmed",
        },
        {
            "number": "R-5604",
            "room": "single room",
            "arrives": "2027-01-08",
            "leaves": "2027-01-10",
            "guests": 1,
            "total": "158.00",
            "state": "confirmed",
        },
    ],
    "get_bill": [
        {"what": "deposit for R-5521", "amount": "120.00", "due": "2026-12-01"},
        {"what": "minibar of the last stay", "amount": "14.50", "due": "2026-11-30"},
    ],
    "find_free_rooms": [
        {"room": "single room", "a_night": "79.00"},
        {"room": "double room", "a_night": "129.00"},
    ],
    "cancel_reservation": {"number": "R-5521"},
    "change_dates": {"number": "R-5604", "arrives": "2027-01-15", "leaves": "2027-01-17"},
    "add_breakfast": {"number": "R-5521", "guests": 2},
    "request_late_checkout": {"number": "R-5521", "time": "13:00"},
    "send_invoice": {"email": "jonas@new.example"},
    "talk_to_reception": {"ticket": "17"},
}
_HOUSE_RULES = (
    "Check-in is from 3 pm, check-out by 11 am.",
    "Cancelling is free until 7 days before arrival; after that we charge one night.",
    "Pets stay for 12.00 a night. Please tell us when you book.",
    "Breakfast costs 15.50 a guest and day, from 7:00 to 10:30.",
    "Parking costs 9.00 a night. We take no reservation for parking.",
    "A deposit is paid back within 5 working days after you cancel in time.",
    "We keep lost property for 90 days and send it to you when you ask for it.",
)
