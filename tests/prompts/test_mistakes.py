"""All mistakes of a folder are reported together."""

from assistant.prompts.compiler import find_mistakes
from assistant.prompts.folder import read_folder
from assistant.shipped import shipped

GOOD = read_folder(shipped("prompts"))


def places(**changed: str | None) -> list[str]:
    """Where mistakes are found when these files are another, or missing; "__" is a dot, "___" a slash."""
    files = {name.replace("___", "/").replace("__", "."): text for name, text in changed.items()}
    sources = {**GOOD, **{name: text for name, text in files.items() if text is not None}}
    for name in (name for name, text in files.items() if text is None):
        del sources[name]
    return [":".join(line.split(":")[:2]) for line in find_mistakes(sources, "my/prompts", GOOD)]


def test_nothing_is_found_in_a_correct_folder() -> None:
    assert find_mistakes(GOOD, "prompts", GOOD) == []


def test_mistakes_in_several_files_are_reported_in_the_order_of_files() -> None:
    assert places(
        voice__toml="\nname =",
        models___decider__j2="{{ now }}\n{{ tody }} {{ nmae }}\n{{ nmae }}",
        customers___en___apology__j2="\n{% if reason %}",
        models____spoken__j2='{% include "nowhere.j2" %}',
        mine__j2="Hello",
        customers___en___read_back__j2=None,
    ) == [
        "my/prompts/customers/en/apology.j2:2",
        "my/prompts/customers/en/read_back.j2:1",
        "my/prompts/mine.j2:1",
        "my/prompts/models/_spoken.j2:1",
        "my/prompts/models/decider.j2:2",
        "my/prompts/models/decider.j2:2",
        "my/prompts/voice.toml:2",
    ]


def test_a_mistake_that_needs_a_test_rendering_is_reported_too() -> None:
    assert places(
        customers___en___apology__j2="{{ reason }}\n{{ 1 / 0 }}", customers___en___acknowledgement__j2=""
    ) == [
        "my/prompts/customers/en/acknowledgement.j2:1",
        "my/prompts/customers/en/apology.j2:2",
    ]


def test_without_a_good_version_only_the_first_mistake_is_reported() -> None:
    sources = {**GOOD, "voice.toml": "name ="}

    assert "not valid TOML" in find_mistakes(sources, "prompts", {})[0]
