"""Rules for every language that comes with the package."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, time
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallFailed, CallSucceeded
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.errors import DeclarationError
from assistant.language.detect import guess_language
from assistant.prompts.acknowledgement import REGISTERS, Register
from assistant.prompts.book import TRANSLATED, PromptBook, shipped_book
from assistant.prompts.compiler import PROMPTS
from assistant.prompts.narration import Narration
from assistant.prompts.prompt import Utterance, sample_prompts
from assistant.prompts.sentences import fill
from assistant.prompts.utterances import HandoffTold, OutcomeTold, ReadBack, StillWaiting
from assistant.tools.hints import doubts_in, read_hints
from assistant.tools.options import Options
from assistant.turn.acknowledge import GrowingAcknowledgement, acknowledge
from tests.prompts.conftest import Edited

BOOK = shipped_book()
TEN = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "tr")
OF_SENTENCES = tuple(locale for locale in TEN if BOOK.words(locale).sentences is not None)
ELIDED = re.compile(r"\b(?:de|que|je|ne|me|se|le|la|lo|di del|da) ?\{(?:doing|will)\}", re.IGNORECASE)
FIXED = [
    prompt for prompt in PROMPTS if prompt.template in TRANSLATED and "demo_model" not in prompt.template
]


def hints_of(locale: str) -> list[Hint]:
    return [Hint(doing=one.doing, will=one.will) for one in BOOK.words(locale).hint_examples.values()]


def sentences_in(section: BaseModel) -> Iterator[str]:
    for name in type(section).model_fields:
        match getattr(section, name):
            case BaseModel() as inner:
                yield from sentences_in(inner)
            case str() as sentence:
                yield sentence
            case tuple():
                yield from map(str, cast("tuple[object, ...]", getattr(section, name)))
            case _:
                pass


def said_in(locale: str) -> list[str]:
    """Everything that is said in a language, with its own example hints and no data."""
    lookups, (cancel, contact) = hints_of(locale)[:2], [hints_of(locale)[3], hints_of(locale)[9]]
    said: list[str] = []
    for prompt in FIXED:
        for sample in sample_prompts(prompt):
            match sample:
                case OutcomeTold():
                    hint = cancel if sample.effect == "write" else lookups[0]
                    sample = OutcomeTold(
                        outcome=sample.outcome, effect=sample.effect, hint=hint, say="", found=""
                    )
                case StillWaiting():
                    sample = StillWaiting(
                        number=sample.number, done=(contact,), pending=tuple(lookups), more=0
                    )
                case ReadBack():
                    sample = ReadBack(clauses=(), first_time=sample.first_time)
                case HandoffTold():
                    sample = HandoffTold(what=sample.what)
                case _ if any(
                    field in {"arguments", "told", "done"} for field in sample.__dataclass_fields__
                ):
                    continue
                case _:
                    pass
            # What remains of the samples is data: a message's id.
            said.append(BOOK.render(sample, locale).replace("check your billing", "u1"))
    return list(dict.fromkeys(said))


def test_ten_languages_come_with_the_package() -> None:
    assert set(BOOK.locales) == set(TEN)


@pytest.mark.parametrize("locale", TEN)
def test_no_text_of_a_language_is_missing(locale: str) -> None:
    for prompt in PROMPTS:
        if prompt.template in TRANSLATED:
            assert BOOK.spoken(prompt.template, locale) == locale
            for sample in sample_prompts(prompt):
                assert BOOK.render(sample, locale)
    assert BOOK.acknowledgement(locale).locale == locale
    voice = BOOK.voice_in(locale)
    assert voice.greeting
    assert voice.disclosure


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_greeting_and_disclosure_are_in_the_language(locale: str) -> None:
    voice = BOOK.voice_in(f"{locale}-XX")

    assert guess_language(f"{voice.greeting} {voice.disclosure}", frozenset(TEN)).language == locale
    assert (voice.name in voice.greeting, voice.company in voice.greeting) == (True, True)
    assert voice.starters == ()


def test_a_company_that_writes_french_keeps_its_own_greeting(edited: Edited, book: PromptBook) -> None:
    voice = 'locale = "fr"\n' + book.sources["voice.toml"].replace("Hello, I'm Robin", "Bonjour, ici Robin")
    french = edited({"voice.toml": voice})

    assert french.voice_in("fr").greeting.startswith("Bonjour, ici Robin")
    assert french.voice_in("es").greeting.startswith("Hola, soy Robin")


@pytest.mark.parametrize("locale", TEN)
@given(data=st.data())
def test_pieces_joined_are_the_sentence(locale: str, data: st.DataObject) -> None:
    words = BOOK.acknowledgement(locale)
    known = hints_of(locale) or [Hint(doing=f"doing {n}", will=f"do {n}") for n in range(5)]
    hints: Sequence[Hint | None] = data.draw(
        st.lists(st.sampled_from([*known, None]), min_size=1, max_size=7)
    )
    register: Register = data.draw(st.sampled_from(REGISTERS))
    growing = GrowingAcknowledgement(words, register)

    pieces = [*(growing.announce(hint) for hint in hints), growing.close()]

    whole = acknowledge([hint.will if hint else "" for hint in hints], words.lead(register), words)
    assert "".join(pieces) == whole
    assert whole.endswith(".")
    assert re.search(r"  | [.,]|\.\.|,\.|\{", whole) is None


@pytest.mark.parametrize("locale", TEN)
def test_lead_ins_are_followed_by_a_clause_without_a_capital(locale: str) -> None:
    leads = [lead for each in BOOK.acknowledgement(locale).leads.values() for lead in each]

    assert [lead for lead in leads if lead.endswith((".", "!", "?"))] == []
    assert [lead for lead in leads if not lead[0].isupper()] == []


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_the_example_hints_follow_the_rules_of_their_language(locale: str) -> None:
    for hint in hints_of(locale):
        options = Options(waiting_hint="checking it", hints={locale: (hint.doing, hint.will)})
        hints, problems = read_hints(options)
        assert problems == []
        assert doubts_in({locale: hints[locale]}) == []


@pytest.mark.parametrize(
    ("locale", "doing", "will"),
    [
        ("fr", "consulter vos rendez-vous", "je consulte vos rendez-vous"),
        ("es", "consultar sus citas", "consultando sus citas"),
        ("it", "controllando i suoi appuntamenti", "controllare i suoi appuntamenti"),
        ("nl", "zoek uw afspraken op", "ik zoek uw afspraken op"),
        ("pt", "consultar seus agendamentos", "consultando seus agendamentos"),
        ("pl", "sprawdzę wizyty", "sprawdzanie wizyt"),
        ("sv", "kolla dina tider", "jag kollar dina tider"),
        ("tr", "randevularınıza bakıyorum", "randevularınıza bakmak"),
    ],
)
def test_a_hint_in_the_other_form_is_a_mistake(locale: str, doing: str, will: str) -> None:
    _, problems = read_hints(Options(waiting_hint="checking it", hints={locale: (doing, will)}))

    assert [problem.partition(":")[2].split()[0] for problem in problems] == ["doing", "will"]
    assert all(" should " in problem for problem in problems)


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_no_word_before_a_hint_depends_on_it(locale: str) -> None:
    sentences = BOOK.words(locale).sentences
    assert sentences is not None
    allowed = {"es": ("de {will}", "al {will}"), "it": ("di {doing}",), "pt": ("de {will}",)}.get(locale, ())
    found = [
        sentence
        for sentence in sentences_in(sentences)
        if ELIDED.search(sentence) and not any(each in sentence for each in allowed)
    ]

    assert found == []


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_no_sentence_is_in_another_language(locale: str) -> None:
    said = said_in(locale)
    words = {sentence: guess_language(sentence, frozenset(TEN)) for sentence in said}
    others = {
        sentence: guess.language
        for sentence, guess in words.items()
        if guess.language != locale and guess.share > 0.6
    }

    assert len(said) > 60
    assert others == {}
    assert guess_language(" ".join(said)[:300], frozenset(TEN)).language == locale


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_no_english_word_is_in_a_sentence(locale: str) -> None:
    english = re.compile(r"\b(?:the|your|you|please|what|have|could|would|I'll|I'm|this|that)\b")

    assert [sentence for sentence in said_in(locale) if english.search(sentence)] == []


@pytest.mark.parametrize(
    ("locale", "moment", "amount", "listed"),
    [
        ("fr", "mardi 1er décembre à 14 h", "1 149,90 $US", "a, b et c"),
        ("es", "martes 1 de diciembre a las 14:00", "1.149,90 US$", "a, b y c"),
        ("it", "martedì 1 dicembre alle 14:00", "1.149,90 USD", "a, b e c"),
        ("nl", "dinsdag 1 december om 14:00 uur", "US$ 1.149,90", "a, b en c"),
        ("pt", "terça-feira, 1º de dezembro às 14h", "US$ 1.149,90", "a, b e c"),
        ("pl", "wtorek, 1 grudnia o 14:00", "1 149,90 USD", "a, b i c"),
        ("sv", "tisdag 1 december klockan 14:00", "1 149,90 US$", "a, b och c"),
        ("tr", "1 Aralık Salı, saat 14:00", "$1.149,90", "a, b ve c"),
    ],
)
def test_dates_times_and_amounts_are_in_the_form_of_the_language(
    locale: str, moment: str, amount: str, listed: str
) -> None:
    template = "{{ value | when }} | {{ '1149.90' | money }} | {{ ['a', 'b', 'c'] | listing }}"
    said = Narration(BOOK).render(template, value="2026-12-01T14:00", arguments={}, locale=locale)

    assert re.sub(r"[\xa0\u202f]", " ", said) == f"{moment} | {amount} | {listed}"


@pytest.mark.parametrize(
    ("locale", "things", "said"),
    [
        ("es", ("citas", "informes"), "citas e informes"),
        ("es", ("flores", "hielo"), "flores y hielo"),
        ("it", ("controllo", "esamino"), "controllo ed esamino"),
        ("it", ("controllo", "annullo"), "controllo e annullo"),
    ],
)
def test_words_that_meet_change_if_the_language_requires_it(
    locale: str, things: tuple[str, str], said: str
) -> None:
    assert BOOK.sandbox_in(locale).from_string("{{ t | listing }}").render(t=things) == said
    assert acknowledge(things, "x", BOOK.acknowledgement(locale)) == f"x {said}."


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_opening_hours_are_told(locale: str) -> None:
    monday, friday, saturday = date(2024, 1, 1), date(2024, 1, 5), date(2024, 1, 6)
    hours = ((monday, friday, time(9), time(17)), (saturday, saturday, time(9, 30), time(12)))
    said = BOOK.render(HandoffTold(what="closed", ticket="H-1", hours=hours), locale)

    assert "H-1" in said
    assert "30" in said
    last = BOOK.sandbox_in(locale).from_string("{{ d | weekday }}").render(d=friday)
    assert len(re.findall(rf"\b{last}\b", said)) == 1


@pytest.mark.parametrize("locale", OF_SENTENCES)
def test_a_result_is_told_without_english_field_names_or_reasons(locale: str) -> None:
    spec = ToolSpec(name="t", description="", parameters={}, narration="It is in {{ value.city }}.")
    call = Call(id="c1.1", tool="t")
    narration = Narration(BOOK)

    found = narration.narrate_outcomes(
        [CallSucceeded(call=call, value={"due_date": "2026-12-01", "city": "Lyon"})], {"t": spec}, locale
    )
    failed = narration.narrate_outcomes(
        [CallFailed(call=call, say="I can't find an account for you", for_model="")], {"t": spec}, locale
    )

    assert "Lyon" in found
    assert "due" not in found
    assert "It is" not in found
    assert "account" not in failed


def test_a_value_is_never_read_as_a_sentence() -> None:
    assert fill("{name}: {found}", name="{found}", found="{name}") == "{found}: {name}"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('clause_plain = "faire cela"\n', "", "'sentences.question.clause_plain': field required"),
        ('found = "Voici ce que j\'ai trouvé : {found}."', 'found = "Voici."', r"\{found\} is missing"),
        ("no = \"D'accord, je n'ai rien modifié.\"", 'no = "{done}"', r"\{done\} has no value here"),
        ('later = ["Je vais aussi", ', "later = [", "'sentences.acknowledgement.later': .*at least 2 items"),
    ],
)
def test_a_mistake_in_the_sentences_is_named_with_its_place(
    old: str, new: str, complaint: str, edited: Edited, book: PromptBook
) -> None:
    french = book.sources["locales/fr.toml"]
    assert old in french

    with pytest.raises(DeclarationError, match=rf"locales/fr\.toml:\d+: .*{complaint}"):
        edited({"locales/fr.toml": french.replace(old, new)})


def test_a_custom_template_replaces_the_shared_one(edited: Edited) -> None:
    own = edited({"customers/fr/confirmation_person.j2": "Un conseiller ?"})
    template = "customers/en/confirmation_person.j2"
    prompt = next(one for one in PROMPTS if one.template == template)

    assert own.render(next(sample_prompts(prompt)), "fr") == "Un conseiller ?"
    assert own.file_in(template, "fr") == "customers/fr/confirmation_person.j2"
    assert own.file_in(template, "es") == "customers/shared/confirmation_person.j2"
    assert issubclass(prompt, Utterance)
