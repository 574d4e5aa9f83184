"""A conversation in French, with tools that have French texts, and one that has none."""

from decimal import Decimal

import pytest

from assistant import ToolError, tool
from assistant.prompts.book import PromptBook, shipped_book
from assistant.prompts.narration import Narration
from assistant.testing.chat import Chat, deps_for, open_chat
from assistant.testing.scene import scene
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import Limits
from tests.turn.conftest import Company


@tool(
    waiting_hint="looking up your appointments",
    hints={"fr": ("consultation de vos rendez-vous", "consulter vos rendez-vous")},
    narration={"en": "You are booked.", "fr": "Votre rendez-vous est prévu {{ value[0].when | when }}."},
)
def list_appointments() -> list[dict[str, str]]:
    """List them."""
    return [{"when": "2026-12-01T14:00"}]


@tool(
    waiting_hint="checking your billing",
    hints={"fr": ("vérification de votre facture", "vérifier votre facture")},
    narration={"en": "You owe it.", "fr": "Il reste {{ value | money }} à payer."},
)
def get_balance() -> Decimal:
    """Tell it."""
    return Decimal("1149.90")


@tool(
    waiting_hint="cancelling your appointment",
    hints={"fr": ("annulation de votre rendez-vous", "annuler votre rendez-vous")},
    effect="write",
    confirm={"en": "cancel it", "fr": "annuler votre rendez-vous {{ arguments.day | day }}"},
    narration={"en": "It is cancelled.", "fr": "Votre rendez-vous est annulé."},
)
def cancel_appointment(day: str) -> str:
    """Cancel it.

    Args:
        day: the day of the appointment.
    """
    return "cancelled"


@tool(
    waiting_hint="updating your address",
    effect="write",
    confirm={"en": "change your address", "de": "Ihre Adresse ändern"},
    narration={"en": "Your address is changed.", "de": "Ihre Adresse ist geändert."},
)
def update_address(city: str) -> dict[str, str]:
    """Change it.

    Args:
        city: the new city.
    """
    return {"city": city}


@tool(waiting_hint="tracking your order", hints={"fr": ("suivi de votre commande", "suivre votre commande")})
def track_order() -> str:
    """Track it."""
    raise ToolError("I can't find an order for you")


TOOLS = (list_appointments, get_balance, cancel_appointment, update_address, track_order)


def french(company: Company, *lines: Line, book: PromptBook | None = None) -> Chat:
    used = book or shipped_book()
    model = ScriptedModel(*lines, clock=company.clock)
    narrate = Narration(used).narrate_outcomes
    deps = deps_for(model, TOOLS, used, company.clock, narrate=narrate, limits=Limits())
    return open_chat(deps, company.log)


async def test_two_lookups_are_announced_with_agreement_and_answered(company: Company) -> None:
    marie = french(
        company,
        calls("list_appointments", "get_balance"),
        says("Votre rendez-vous est prévu mardi 1er décembre à 14 h. Il reste 1 149,90 $ à payer."),
    )

    assert await marie.says("Pouvez-vous vérifier mes rendez-vous et ma facture ?") == scene("""
        Assistant (acknowledgement): Un instant, je vais consulter vos rendez-vous et vérifier votre facture.
          [list_appointments ok]
          [get_balance ok]
        Assistant: Votre rendez-vous est prévu mardi 1er décembre à 14 h. Il reste 1 149,90 $ à payer.
    """)


async def test_templates_answer_in_french_when_the_model_fails(company: Company) -> None:
    marie = french(company, calls("list_appointments", "get_balance", "track_order"), *[breaks()] * 4)

    said = await marie.says("Où en est ma commande, et mes rendez-vous ?")

    assert said.splitlines()[-1].replace("\xa0", " ").replace("\u202f", " ") == (
        "Assistant: Votre rendez-vous est prévu mardi 1er décembre à 14 h. Il reste 1 149,90 $US à payer. "
        "Je n'ai pas pu suivre votre commande pour le moment. Veuillez réessayer un peu plus tard."
    )


async def test_a_pure_yes_runs_it_and_anything_more_does_not(company: Company) -> None:
    cancel = calls(("cancel_appointment", {"day": "2026-12-01"}))
    marie = french(company, cancel, says("Laquelle ?"), says("Votre rendez-vous est annulé."))

    asked = await marie.says("Annulez mon rendez-vous s'il vous plaît")
    doubtful = await marie.says("oui mais pas avant demain")
    agreed = await marie.says("Oui, s'il vous plaît !")

    question = "Dois-je annuler votre rendez-vous mardi 1er décembre ?"
    assert asked.splitlines()[-1] == f"Assistant: {question}"
    assert "cancel_appointment ok" not in doubtful
    assert doubtful.splitlines()[-1] == (
        f"Assistant: Il me faut un oui ou un non clair avant de modifier quoi que ce soit. {question}"
    )
    assert agreed == scene("""
        Assistant (acknowledgement): Entendu, je vais annuler votre rendez-vous.
          [cancel_appointment ok]
        Assistant: Votre rendez-vous est annulé.
    """)


async def test_a_no_changes_nothing(company: Company) -> None:
    marie = french(company, calls(("cancel_appointment", {"day": "2026-12-01"})))
    await marie.says("Annulez mon rendez-vous")

    assert await marie.says("Non merci") == "Assistant: D'accord, je n'ai rien modifié."


async def test_a_tool_without_french_texts_mixes_no_languages(company: Company) -> None:
    marie = french(company, calls(("update_address", {"city": "Lyon"})), *[breaks()] * 4)

    asked = await marie.says("Je voudrais changer mon adresse, c'est Lyon")
    done = await marie.says("oui")

    assert asked.splitlines()[-1] == "Assistant: Dois-je faire cela (Lyon) ?"
    assert done.splitlines()[0] == "Assistant (acknowledgement): Entendu, je vais regarder cela."
    assert done.splitlines()[-1] == "Assistant: C'est fait : Lyon."


@pytest.fixture
def without_yes() -> PromptBook:
    sources = dict(shipped_book().sources)
    french = sources["locales/fr.toml"]
    before, _, rest = french.partition("[consent]")
    sources["locales/fr.toml"] = f"{before}[register]{rest.partition('[register]')[2]}"
    return PromptBook(sources)


async def test_without_words_for_yes_only_the_button_agrees(
    company: Company, without_yes: PromptBook
) -> None:
    cancel = calls(("cancel_appointment", {"day": "2026-12-01"}))
    marie = french(company, cancel, says("Votre rendez-vous est annulé."), book=without_yes)

    asked = await marie.says("Annulez mon rendez-vous")
    typed = await marie.says("oui")
    pressed = await marie.says("Yes", button=True)

    press = "Pour répondre, utilisez le bouton ou la touche Oui ou Non."
    assert asked.splitlines()[-1].endswith(f"mardi 1er décembre ? {press}")
    assert typed.endswith(press)
    assert "cancel_appointment ok" not in typed
    assert "[cancel_appointment ok]" in pressed


async def test_a_conversation_changes_its_language_and_back(company: Company) -> None:
    marie = french(company, *[calls("get_balance"), says("150.")] * 4)
    heard = [
        (await marie.says(text)).splitlines()[0].removeprefix("Assistant (acknowledgement): ")
        for text in (
            "Combien je dois, s'il vous plaît ?",
            "Sorry, could you check my billing again?",
            "Können Sie meine Rechnung prüfen?",
            "Et maintenant, vérifiez ma facture",
        )
    ]

    assert [turn.message.locale for turn in marie.session.state.turns] == ["fr", "en", "de", "fr"]
    assert heard == [
        "Un instant, je vais vérifier votre facture.",
        "Let me see. I'll check your billing.",
        "Einen Moment bitte, ich sehe mir das an.",
        "Bien sûr, je vais vérifier votre facture.",
    ]
