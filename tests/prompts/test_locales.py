"""A language is some files: German is complete, and a third one needs no code."""

from pathlib import Path

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallSucceeded, CallTimedOut
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.errors import DeclarationError
from assistant.prompts.book import TRANSLATED, PromptBook, untranslated
from assistant.prompts.compiler import PROMPTS
from assistant.prompts.narration import Narration
from assistant.prompts.prompt import Utterance, sample_prompts
from assistant.prompts.utterances import Apology, Confirmation, DefaultClause, ReadBack
from tests.prompts.conftest import Edited
from tests.support.rows import check_rows

DANISH = Path(__file__).parent / "danish"


@pytest.fixture
def three(tmp_path: Path, book: PromptBook) -> PromptBook:
    """The prompts that come with the package, with a few Danish files."""
    files = {
        file.relative_to(DANISH).as_posix(): file.read_text(encoding="utf-8") for file in DANISH.rglob("*.*")
    }
    for name, text in {**book.sources, **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    voice = tmp_path / "voice.toml"
    voice.write_text(
        voice.read_text(encoding="utf-8") + '\n[locales.da]\ngreeting = "Hej."\n', encoding="utf-8"
    )
    return PromptBook.load(tmp_path)


COMPLETE = dict.fromkeys(("de", "es", "fr", "it", "nl", "pl", "pt", "sv", "tr"), ())


def test_no_language_leaves_anything_to_english(book: PromptBook) -> None:
    assert untranslated(book) == COMPLETE


def test_missing_files_are_named_one_by_one(edited: Edited) -> None:
    without = edited({"customers/de/apology.j2": None, "customers/de/acknowledgement.j2": None})

    missing = ("customers/de/acknowledgement.j2", "customers/de/apology.j2")
    assert untranslated(without) == {**COMPLETE, "de": missing}
    assert without.render(Apology(reason="unreachable"), "de").startswith("I'm sorry, ")
    assert without.acknowledgement("de").locale == "en"


def test_a_region_may_leave_everything_to_its_language(edited: Edited, book: PromptBook) -> None:
    swiss = edited({"locales/de-CH.toml": book.sources["locales/de.toml"].replace('"H:mm ', '"HH.mm ')})

    assert untranslated(swiss) == COMPLETE
    assert swiss.acknowledgement("de-CH").locale == "de"
    assert swiss.render(Confirmation(answer="no"), "de-CH") == "In Ordnung, ich habe nichts geändert."
    assert (
        Narration(swiss).render("{{ value | time }}", value="09:30", arguments={}, locale="de-CH")
        == "09.30 Uhr"
    )
    assert swiss.language_of("Wo ist meine Bestellung?", "en") == "de"


@check_rows("prompt", [one for one in PROMPTS if one.template in TRANSLATED], ids=lambda p: p.template)
def test_every_german_sentence_is_german(prompt: type[Utterance], book: PromptBook) -> None:
    for sample in sample_prompts(prompt):
        assert book.render(sample, "de-AT")
        assert book.spoken(prompt.template, "de-AT") == "de"


def test_a_read_back_ends_with_its_infinitives(book: PromptBook) -> None:
    clauses = ("Ihren Sehtest am Dienstag absagen", "Ihre Bestellung stornieren")
    call = DefaultClause(
        hint=Hint(doing="Ihre Bestellung stornieren", will="storniere Ihre Bestellung"),
        arguments=(("order number", "10455"), ("day", "2026-11-24")),
    )

    assert book.render(ReadBack(clauses=clauses, first_time=True), "de") == (
        "Soll ich Ihren Sehtest am Dienstag absagen und Ihre Bestellung stornieren?"
    )
    assert book.render(ReadBack(clauses=("",), first_time=False), "de").endswith("Nein. Soll ich das tun?")
    assert book.render(call, "de") == "Ihre Bestellung stornieren (10455, Dienstag, 24. November)"


def test_a_file_of_a_locale_without_words_is_a_mistake(edited: Edited) -> None:
    with pytest.raises(DeclarationError, match=r"fi/apology\.j2:1: there is no locales/fi\.toml"):
        edited({"customers/fi/apology.j2": "Anteeksi."})


def test_all_texts_for_models_are_in_english(edited: Edited) -> None:
    with pytest.raises(DeclarationError, match=r"de/decider\.j2:1: models are told everything in English"):
        edited({"customers/de/decider.j2": "Sie sind {{ voice.name }}."})


def test_a_mistake_in_a_translation_is_named_with_its_file(edited: Edited) -> None:
    with pytest.raises(DeclarationError, match=r"de/apology\.j2:2: unknown variable 'grund'"):
        edited({"customers/de/apology.j2": "{{ reason }}\n{{ grund }}"})
    with pytest.raises(
        DeclarationError, match=r"locales/de\.toml:\d+: 'hints\.doing\.pattern': .*'\(' is no"
    ):
        edited({"locales/de.toml": _with_pattern(edited, "(")})


def _with_pattern(edited: Edited, pattern: str) -> str:
    source = edited({}).sources["locales/de.toml"].partition("[hints.doing]")[0]
    return f'{source}[hints.doing]\npattern = "{pattern}"\nshould = "be"\n'


def test_a_third_language_needs_no_code(three: PromptBook) -> None:
    assert "da" in three.locales
    assert three.language_of("Hvor er min bestilling?", "en") == "da"
    assert three.language_of("Wo ist meine Bestellung?", "da") == "de"
    assert three.language_of("Where is my order?", "da-DK") == "en"
    assert three.voice.in_locale("da-DK").greeting == "Hej."
    assert "ja" in three.words("da").consent.yes
    assert three.render(Confirmation(answer="no"), "da") == "Godt, jeg har ikke ændret noget."


def test_a_third_language_acknowledges_in_its_own_order_of_words(three: PromptBook) -> None:
    words = three.acknowledgement("da")

    assert words.lead("request") + " tjekker Deres regning" + words.last("finder Deres aftaler") == (
        "Naturligvis, jeg tjekker Deres regning og finder Deres aftaler."
    )


def test_texts_that_a_third_language_lacks_are_completely_english(three: PromptBook) -> None:
    hint = {
        "en": Hint(doing="checking it", will="check it"),
        "da": Hint(doing="det at undersøge", will="undersøger det"),
    }
    tool = ToolSpec(name="t", description="", parameters={}, hints=hint, narration="Due {{ value | day }}.")
    call = Call(id="c1.1", tool="t")
    narration = Narration(three)

    assert untranslated(three)["da"] == tuple(
        name.replace("/en/", "/da/")
        for name in TRANSLATED
        if name not in ("customers/en/acknowledgement.j2", "customers/en/confirmation.j2")
    )
    assert narration.narrate_outcomes([CallTimedOut(call=call, after_s=1)], {"t": tool}, "da") == (
        "I couldn't check it in time."
    )
    assert narration.narrate_outcomes([CallSucceeded(call=call, value="2026-11-24")], {"t": tool}, "da") == (
        "Due Tuesday, November 24."
    )
