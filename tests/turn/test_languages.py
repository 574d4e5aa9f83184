"""A customer is answered in the language that they write in, whatever the page's."""

from dataclasses import replace

import pytest

from assistant import Customer, tool
from assistant.conversation.tool_spec import Hint
from assistant.prompts.book import PromptBook, shipped_book
from assistant.prompts.narration import Narration
from assistant.testing.chat import ANA, Chat, deps_for, open_chat
from assistant.testing.fake_tool import Broken
from assistant.testing.scene import scene
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from tests.turn.conftest import Company

GERMAN = {
    "list_upcoming_appointments": Hint(doing="Ihre Termine heraussuchen", will="suche Ihre Termine heraus"),
    "get_open_invoices": Hint(doing="Ihre Rechnungen prüfen", will="prüfe Ihre Rechnungen"),
    "cancel_appointment": Hint(doing="Ihren Termin absagen", will="sage Ihren Termin ab"),
    "add_note": Hint(doing="das notieren", will="notiere das"),
}
CANCEL = calls(("cancel_appointment", {"day": "2026-03-10"}))
CHECK_BOTH = calls("list_upcoming_appointments", "get_open_invoices")


class Visitor:
    """A customer who writes in their own language on an English page."""

    def __init__(self, chat: Chat, book: PromptBook) -> None:
        self.chat, self._book = chat, book

    async def says(self, text: str) -> str:
        self.chat.page = self._book.language_of(text, self.chat.page, page="en")
        return await self.chat.says(text)

    @property
    def locales(self) -> list[str]:
        return [turn.message.locale for turn in self.chat.session.state.turns]


@pytest.fixture
def german(company: Company) -> Company:
    """The company whose tools have German hints as well, most of them."""
    for one in company.tools:
        if one.spec.name in GERMAN:
            one.spec = replace(one.spec, hints={**one.spec.hints, "de": GERMAN[one.spec.name]})
    return company


def visitor(company: Company, *lines: Line) -> Visitor:
    return Visitor(company.chat(*lines), shipped_book())


async def test_two_lookups_are_acknowledged_in_german(german: Company) -> None:
    anna = visitor(german, CHECK_BOTH, says("Sie haben am Dienstag einen Termin. Offen sind 150 $."))

    assert await anna.says("Prüfen Sie bitte meine Termine und Rechnungen") == scene("""
        Assistant (acknowledgement): Gerne, ich suche Ihre Termine heraus und prüfe Ihre Rechnungen.
          [list_upcoming_appointments ok]
          [get_open_invoices ok]
        Assistant: Sie haben am Dienstag einen Termin. Offen sind 150 $.
    """)


async def test_models_know_the_language_and_prompts_begin_alike(
    german: Company,
) -> None:
    anna = visitor(german, CHECK_BOTH, says("Ja."), says("You are welcome."))
    await anna.says("Prüfen Sie bitte meine Termine und Rechnungen")
    await anna.says("Thank you very much!")

    decider, narrator, english = (request.view for request in german.model.requests)
    assert "The customer seems to write in German" in decider.late
    assert "The customer seems to write in German" in narrator.instructions
    assert "The customer seems to write in English" in english.late
    assert decider.system == english.system
    assert len(decider.system) > 0.9 * len(decider.instructions)


@pytest.mark.parametrize(
    ("message", "lead"),
    [
        ("Meine Brille ist kaputt, prüfen Sie meine Rechnungen", "Das tut mir leid. Ich"),
        ("Können Sie meine Rechnungen prüfen?", "Einen Moment bitte, ich"),
        ("Meine Rechnungen bitte", "Gerne, ich"),
    ],
)
async def test_the_beginning_fits_the_message(message: str, lead: str, german: Company) -> None:
    anna = visitor(german, calls("get_open_invoices"), says("Offen sind 150 $."))

    assert (await anna.says(message)).splitlines()[0] == (
        f"Assistant (acknowledgement): {lead} prüfe Ihre Rechnungen."
    )


async def test_a_tool_without_a_german_hint_is_announced_neutrally(german: Company) -> None:
    anna = visitor(german, calls("get_open_invoices", "get_opening_hours"), says("Ab 9 Uhr."))

    said = await anna.says("Wann haben Sie offen, und was schulde ich?")

    assert said.splitlines()[0] == (
        "Assistant (acknowledgement): Einen Moment bitte, ich prüfe Ihre Rechnungen und sehe mir das an."
    )


async def test_a_later_round_continues_in_german(german: Company) -> None:
    anna = visitor(
        german, calls("list_upcoming_appointments"), calls("get_open_invoices"), says("Alles bezahlt.")
    )

    said = await anna.says("Meine Termine bitte, und was dafür offen ist")

    assert "Assistant (status): Einen Moment noch, ich prüfe Ihre Rechnungen." in said


async def test_a_side_effect_is_read_back_and_agreed_to_in_german(german: Company) -> None:
    german.cancel.clause = "Ihren Sehtest am Dienstag, 10. März um 14:00 Uhr absagen"
    anna = visitor(german, CANCEL, says("Ihr Termin ist abgesagt."))

    assert await anna.says("Bitte sagen Sie meinen Termin am Dienstag ab") == (
        "  [cancel_appointment asked]\n"
        "Assistant: Soll ich Ihren Sehtest am Dienstag, 10. März um 14:00 Uhr absagen?"
    )
    assert await anna.says("ja, bitte") == scene("""
        Assistant (acknowledgement): In Ordnung, ich sage Ihren Termin ab.
          [cancel_appointment ok]
        Assistant: Ihr Termin ist abgesagt.
    """)


async def test_a_tool_without_a_clause_is_read_back_by_its_german_hint(german: Company) -> None:
    german.cancel.clause = None
    anna = visitor(german, CANCEL)

    said = await anna.says("Bitte sagen Sie meinen Termin am Dienstag ab")

    assert said.splitlines()[-1] == "Assistant: Soll ich Ihren Termin absagen (Dienstag, 10. März)?"


async def test_a_german_no_and_a_moment_are_understood(german: Company) -> None:
    german.cancel.clause = "Ihren Sehtest absagen"
    anna = visitor(german, CANCEL)
    await anna.says("Bitte sagen Sie meinen Termin am Dienstag ab")

    assert await anna.says("Moment noch") == (
        "Assistant: Bevor ich etwas ändere, brauche ich ein klares Ja oder Nein. Soll ich Ihren Sehtest absagen?"
    )
    assert await anna.says("nein, doch nicht") == "Assistant: In Ordnung, ich habe nichts geändert."
    assert german.cancel.ran == []


async def test_a_second_hold_changes_nothing_in_german(german: Company) -> None:
    german.cancel.clause = "Ihren Sehtest absagen"
    anna = visitor(german, CANCEL)
    await anna.says("Bitte sagen Sie meinen Termin am Dienstag ab")
    await anna.says("warten Sie")

    assert await anna.says("ich überlege noch") == (
        "Assistant: Ich habe kein eindeutiges Ja bekommen und deshalb alles so gelassen, wie es war."
    )


async def test_an_apology_is_in_german_too(german: Company) -> None:
    anna = visitor(german, breaks(), says(""))

    assert "der Dienst, der mir beim Antworten hilft, ist gerade nicht erreichbar" in await anna.says(
        "Wo ist meine Bestellung?"
    )
    assert "bei uns ist etwas schiefgegangen" in await anna.says("Und jetzt?")


async def test_a_german_promise_without_a_call_is_asked_about(german: Company) -> None:
    anna = visitor(
        german, says("Einen Moment, ich sehe kurz nach."), calls("get_open_invoices"), says("150 $.")
    )

    said = await anna.says("Was schulde ich?")

    assert "[get_open_invoices ok]" in said
    assert said.splitlines()[0] == "Assistant (acknowledgement): Einen Moment, ich sehe kurz nach."


async def test_a_german_offer_that_waits_for_the_customer_is_no_promise(german: Company) -> None:
    offer = "Ich sehe nach, sobald Sie mir die Nummer nennen."
    anna = visitor(german, says(offer))

    assert await anna.says("Was ist mit meiner Bestellung?") == f"Assistant: {offer}"


async def test_templates_narrate_in_german_when_the_narrator_fails(german: Company) -> None:
    book = shipped_book()
    model = ScriptedModel(CHECK_BOTH, breaks(), clock=german.clock)
    german.models.append(model)
    german.billing.behaviour = Broken()
    german.appointments.spec = replace(
        german.appointments.spec,
        narrations={"de": "Sie haben am {{ value[0].when | when }} einen Termin."},
    )
    deps = deps_for(model, german.tools, book, german.clock, narrate=Narration(book).narrate_outcomes)
    anna = Visitor(open_chat(deps, german.log), book)

    said = await anna.says("Prüfen Sie bitte meine Termine und Rechnungen")

    assert said.splitlines()[-1].startswith(
        "Assistant: Sie haben am Dienstag, 10. März um 14:00 Uhr einen Termin. "
        "Ich wollte Ihre Rechnungen prüfen, aber das ist gerade leider nicht möglich"
    )


async def test_the_language_follows_messages_and_otherwise_stays(
    german: Company,
) -> None:
    lookups = [line for _ in range(4) for line in (calls("get_open_invoices"), says("150 $."))]
    for one in german.tools:
        german.respec(one, acknowledge="always")
    anna = visitor(german, *lookups)

    first = [
        (await anna.says(text)).splitlines()[0]
        for text in ("Was schulde ich?", "#2041", "And in English, please", "ok")
    ]

    assert anna.locales == ["de", "de", "en", "en"]
    assert [("prüfe Ihre Rechnungen" in line, "check your billing" in line) for line in first] == [
        (True, False), (True, False), (False, True), (False, True),
    ]  # fmt: skip


async def test_tools_get_the_spoken_language(company: Company) -> None:
    asked: list[str] = []

    @tool(waiting_hint="greeting you", hints={"de": ("Sie grüßen", "grüße Sie")})
    async def greet(customer: Customer) -> str:
        """Greet."""
        asked.append(customer.locale)
        return "hallo"

    model = ScriptedModel(calls("greet"), says("Hallo!"), clock=company.clock)
    deps = deps_for(model, [greet], shipped_book(), company.clock)
    anna = Visitor(open_chat(deps, company.log), shipped_book())

    said = await anna.says("Grüßen Sie mich bitte")

    assert said.splitlines()[0] == "Assistant (acknowledgement): Gerne, ich grüße Sie."
    assert asked == ["de"]
    assert ANA.locale == "en"


async def test_a_language_without_texts_is_answered_completely_in_english(company: Company) -> None:
    @tool(
        waiting_hint="sending your voucher",
        hints={"fi": ("kupongin lähettäminen", "lähetän kupongin")},
        effect="write",
        confirm={"en": "send your voucher", "fi": "lähettää kupongin"},
    )
    def send() -> str:
        """Send a voucher."""
        return "sent"

    model = ScriptedModel(calls("send"), says("Se on tehty."), clock=company.clock)
    chat = open_chat(deps_for(model, [send], shipped_book(), company.clock), company.log)
    chat.page = "fi"

    assert (await chat.says("Kuponki, kiitos")).splitlines()[-1] == "Assistant: Shall I send your voucher?"
    assert (await chat.says("yes")).splitlines()[0] == (
        "Assistant (acknowledgement): All right, I'll send your voucher."
    )
    assert "seems to write in Finnish" in model.requests[0].view.late
