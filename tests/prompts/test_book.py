"""A prompts folder is checked as a whole, and a mistake is named with file, line, problem and solution."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.errors import DeclarationError, PromptError
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import Decider
from assistant.prompts.prompt import Prompt, sample_prompts
from assistant.prompts.utterances import Apology, Narrated
from assistant.shipped import shipped
from tests.prompts.conftest import Edited
from tests.support.rows import check_rows

DECIDER = "prompts/models/decider.j2"


@check_rows(
    ("file", "text", "complaint"),
    [
        ("models/decider.j2", "{% if now %}\nToday", "models/decider.j2:2: Unexpected end of template"),
        (
            "models/decider.j2",
            "\n{{ now | dya }}",
            "models/decider.j2:2: No filter named 'dya'.; the filters are: abs, capitalize, d, day,",
        ),
        ("models/decider.j2", "{{ now", "models/decider.j2:1: unexpected end of template"),
        (
            "models/decider.j2",
            "{{ now }}\n{{ tody }}",
            "models/decider.j2:2: unknown variable 'tody'; this template is given: language, now, references,",
        ),
        (
            "models/decider.j2",
            "Hello {{ language }} {{ references }}",
            "models/decider.j2:1: 'now' is given and never used; say it with {{ now }}",
        ),
        (
            "models/decider.j2",
            "{{ now }}{{ language }}{{ references }}\n{{ voice.nmae }}",
            "models/decider.j2:2: 'assistant.prompts.voice.Voice object' has no attribute 'nmae'",
        ),
        (
            "models/decider.j2",
            "{{ now }}{{ language }}{{ references }}{% include '_none.j2' %}",
            "models/decider.j2:1: there is no file '_none.j2'; files to include: customers/de/_told_load.j2, ",
        ),
        (
            "models/decider.j2",
            "{{ now }}{% include now %}",
            "models/decider.j2:1: the file's name must be spelled out",
        ),
        ("models/_spoken.j2", "Be brief.\n{{ tonne }}", "models/_spoken.j2:2: unknown variable 'tonne'"),
        (
            "customers/en/apology.j2",
            "{% if reason == 'unreachable' %}{{ reason + 1 }}{% endif %}",
            "customers/en/apology.j2:1: '+' is for numbers",
        ),
        ("models/decider.j2", None, "models/decider.j2:1: the file is missing"),
        ("customers/en/acknowledgement.j2", None, "customers/en/acknowledgement.j2:1: the file is missing"),
        ("voice.toml", None, "voice.toml:1: the file is missing"),
        ("locales/en.toml", None, "locales/en.toml:1: the file is missing"),
        ("desider.j2", "Hello", "desider.j2:1: no prompt is called this; begin the name with '_'"),
        (
            "apology.j2",
            "Sorry.",
            "apology.j2:1: no prompt is in this place; move it to customers/en/apology.j2",
        ),
    ],
)
def test_a_mistake_is_named_with_file_line_and_solution(
    file: str, text: str | None, complaint: str, edited: Edited
) -> None:
    with pytest.raises(DeclarationError) as raised:
        edited({file: text})

    assert str(raised.value).startswith(f"prompts/{complaint}")


def test_a_template_that_is_nested_too_deeply_is_a_mistake_too(edited: Edited) -> None:
    with pytest.raises(
        DeclarationError, match=r"^prompts/models/decider.j2:1: cannot be compiled: .*; make it simpler"
    ):
        edited({"models/decider.j2": "{{ " + "(" * 3000 + "today" + ")" * 3000 + " }}"})


def test_circular_includes_are_found_by_the_check(edited: Edited) -> None:
    with pytest.raises(DeclarationError, match=r"models/_spoken.j2:1: maximum recursion"):
        edited({"models/_spoken.j2": "{% include 'models/_spoken.j2' %}"})


def test_a_folder_is_loaded_with_all_its_files(tmp_path: Path, book: PromptBook) -> None:
    for name, text in book.sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("Not a prompt.", encoding="utf-8")

    copy = PromptBook.load(tmp_path)

    assert copy.bundle == book.bundle
    assert copy.sources == book.sources


def test_a_missing_folder_is_an_error_with_the_setting_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(
        DeclarationError, match="/nowhere: there is no such folder; set ASSISTANT_PROMPTS_DIR"
    ):
        PromptBook.load(tmp_path / "nowhere")


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/decider.j2").write_bytes(b"\xff\xfe")

    with pytest.raises(DeclarationError, match=r"decider\.j2:1: not UTF-8 text"):
        PromptBook.load(tmp_path)


def test_errors_name_the_folder_as_an_editor_knows_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "wording").mkdir()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(DeclarationError, match=r"^wording/voice.toml:1: the file is missing"):
        PromptBook.load(tmp_path / "wording")


def test_the_bundle_changes_with_any_text_or_name(book: PromptBook, edited: Edited) -> None:
    assert len(book.bundle) == 16
    assert edited({}).bundle == book.bundle
    assert edited({"models/_spoken.j2": "Be brief."}).bundle != book.bundle
    assert edited({"_more.j2": ""}).bundle != book.bundle


def test_equal_texts_are_compiled_once_and_others_anew(book: PromptBook, edited: Edited) -> None:
    voice = book.sources["voice.toml"]
    dry = voice.replace('tone = "', 'tone = "dry, ')

    before = edited({})
    assert edited({"voice.toml": dry}).voice.tone.startswith("dry, ")
    assert edited({"voice.toml": voice}).sandbox_in("en") is before.sandbox_in("en")


def test_the_block_late_is_separated_from_the_rest(book: PromptBook, edited: Edited) -> None:
    told = Decider(now=datetime(2026, 11, 21, 14, 5, tzinfo=UTC), language="German")

    system, late = book.parted(told)
    assert "\n\n".join((system, late)) == book.render(told)
    assert late.endswith("It is Saturday, November 21 at 2:05 pm (2026-11-21 14:05:00+00:00).")
    assert "German" in late
    assert "2026" not in system
    assert "German" not in system

    behind = edited(
        {
            "models/decider.j2": "Be kind.\n{% block late %}{{ now.date() }}\n{% endblock %}{{ language }}!"
            "{% if references %}{% endif %}"
        }
    )
    assert behind.parted(told) == ("Be kind.", "2026-11-21\nGerman!")
    twice = edited(
        {
            "models/decider.j2": "{{ now }}\n{% block late %}{{ now }}{% endblock %}{% if references %}{% endif %}"
            "{% if language %}{% endif %}"
        }
    )
    assert twice.parted(told) == (str(told.now), str(told.now))


def test_a_template_without_late_parts_comes_before_the_conversation(edited: Edited) -> None:
    told = Decider(now=datetime(2026, 11, 21, 14, 5, tzinfo=UTC))

    for text in (
        "{{ now.date() }} {{ language }}{% if references %}{% endif %}",
        "{{ now.date() }} {{ language }}{% if references %}{% endif %}{% block late %} {% endblock %}",
    ):
        assert edited({"models/decider.j2": text}).parted(told) == ("2026-11-21 English", "")


def test_a_mistake_in_the_block_late_is_named_with_its_line(edited: Edited) -> None:
    with pytest.raises(DeclarationError, match=r"models/decider.j2:2: unknown variable 'tody'"):
        edited(
            {
                "models/decider.j2": "{{ now }}{{ language }}{{ references }}{% block late %}\n"
                "{{ tody }}{% endblock %}"
            }
        )


def test_equal_inputs_are_rendered_once(book: PromptBook) -> None:
    first, again = (book.render(Decider(now=datetime(2026, 11, 21, 14, 5, tzinfo=UTC))) for _ in range(2))

    assert first is again


def test_values_that_a_template_refuses_are_errors_with_their_line(book: PromptBook) -> None:
    with pytest.raises(PromptError, match=r"prompts/models/decider.j2:\d+: "):
        book.render(Decider(now="soon"))  # pyright: ignore[reportArgumentType]


def test_an_utterance_is_one_paragraph_and_an_instruction_keeps_its_lines(book: PromptBook) -> None:
    assert "\n" in book.render(Decider(now=datetime(2026, 11, 21, 14, 5, tzinfo=UTC)))
    assert "\n" not in book.render(Narrated(told=("One.", "Two."), missed=()))


def test_a_field_without_possible_samples_is_refused() -> None:
    class Odd(Prompt):
        template = "odd.j2"
        __annotations__ = {"reason": complex}

    Odd.__dataclass_fields__ = {**Apology.__dataclass_fields__}
    with pytest.raises(TypeError, match="cannot be of type"):
        list(sample_prompts(Odd))


def test_locales_fall_back_to_their_language_and_then_to_english(edited: Edited, book: PromptBook) -> None:
    german = (
        "{% macro lead(register, number) %}{{ ['Gern, ich werde', 'Gut, ich werde'][number % 2] }}{% endmacro %}"
        "{% macro next(hint) %}, {{ hint }}{% endmacro %}{% macro last(hint) %} und {{ hint }}.{% endmacro %}"
        "{% macro more(number) %} und {{ number }} weitere Dinge.{% endmacro %}"
        "{% macro end() %}.{% endmacro %}{% macro neutral() %}das klären{% endmacro %}"
    )
    words = book.sources["locales/en.toml"].replace("yes = [", 'yes = ["ja",', 1)

    both = edited({"customers/de/acknowledgement.j2": german, "locales/de.toml": words})

    assert both.acknowledgement("de-AT").neutral == "das klären"
    assert both.acknowledgement("de").lead("request") == "Gut, ich werde"
    assert both.acknowledgement("fi").neutral == "look into that"
    assert "ja" in both.words("de_DE").consent.yes
    assert "ja" not in both.words("fi").consent.yes
    assert shipped("prompts").name == "prompts"
