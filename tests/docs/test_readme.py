"""The README's instructions work as written."""

import re

import pytest

from assistant.errors import DeclarationError
from assistant.models.openai import OpenAIModel
from assistant.models.providers import choose_model
from assistant.prompts.book import PromptBook
from assistant.testing.virtual_time import VirtualClock
from tests.docs.conftest import Checkout
from tests.docs.pages import ROOT, Page, page

README = page("README.md")
PROMPTS = page("docs/guides/prompts.md")
MEMORY = page("docs/guides/memory.md")


def _tool() -> str:
    (source,) = README.blocks("python")
    return source


def _shown(opening: str, shown: Page = README) -> list[str]:
    """The lines of the one unmarked block that begins like this."""
    (block,) = [block for block in shown.blocks("") if block.startswith(opening)]
    return block.splitlines()


def _diff() -> tuple[str, str]:
    (diff,) = PROMPTS.blocks("diff")
    (old,) = re.findall(r"^-(.+)$", diff, re.MULTILINE)
    (new,) = re.findall(r"^\+(.+)$", diff, re.MULTILINE)
    return old, new


@pytest.mark.slow
def test_the_five_minute_tool_can_be_called(checkout: Checkout) -> None:
    checkout.write("tools/credit.py", _tool())

    done = checkout.run("-m", "assistant", "tools", "call", "get_store_credit")

    assert (done.returncode, done.stdout.strip()) == (0, '"25.00"')
    assert "told: You have $25 in store credit." in done.stderr


@pytest.mark.slow
def test_the_five_minute_tool_is_found_and_used_in_a_conversation(checkout: Checkout) -> None:
    checkout.write("tools/credit.py", _tool())
    customer, *assistant = _shown("You: Do I have store credit")

    heard = checkout.chat(customer.removeprefix("You: "))

    assert [line for line in heard if line in assistant] == assistant


@pytest.mark.slow
def test_the_question_about_the_shops_terms_is_answered_from_them(checkout: Checkout) -> None:
    customer, *assistant = _shown("You: Can I send this back", MEMORY)

    checkout.run("-m", "assistant", "documents", "add", "knowledge")
    heard = checkout.chat(customer.removeprefix("You: "))

    assert [line for line in heard if line in assistant] == assistant


@pytest.mark.slow
def test_a_hint_that_does_not_fit_is_refused_as_shown(checkout: Checkout) -> None:
    checkout.write("tools/credit.py", _tool().replace("looking up your store credit", "Please wait."))

    done = checkout.run("-m", "assistant", "tools", "check")

    assert done.returncode == 2
    assert done.stderr.splitlines() == _shown("tools/credit.py:")


@pytest.mark.slow
def test_the_tuned_acknowledgement_is_heard(checkout: Checkout) -> None:
    checkout.edit("prompts/customers/en/acknowledgement.j2", *_diff())

    assert _shown("Robin: With pleasure", PROMPTS)[0] in checkout.chat("Check my appointments and billing")


@pytest.mark.slow
def test_without_the_tuning_the_customer_hears_the_first_dialogue(checkout: Checkout) -> None:
    customer, acknowledgement, _ = (line.partition(":")[2].strip() for line in _shown("Customer:"))

    assert f"Robin: {acknowledgement}" in checkout.chat(customer)


def test_a_misspelt_name_in_a_prompt_is_refused_as_shown(checkout: Checkout) -> None:
    checkout.edit("prompts/customers/en/apology.j2", "if reason", "if raeson")

    with pytest.raises(DeclarationError) as refusal:
        PromptBook.load(checkout.folder / "prompts")

    (shown,) = _shown("prompts/customers/en/apology.j2:", PROMPTS)
    assert f"{checkout.folder}/{shown}" in str(refusal.value).splitlines()


def test_the_settings_for_a_hosted_model_select_it() -> None:
    (exports,) = [block for block in README.blocks("sh") if "export" in block]
    environ = dict(re.findall(r"^export (\w+)=(\S+)", exports, re.MULTILINE))

    model = choose_model(
        environ["ASSISTANT_MODEL"], clock=VirtualClock(), environ=environ, offline=pytest.fail
    )

    assert isinstance(model, OpenAIModel)


def test_each_package_is_in_the_table_and_each_place_in_it_exists() -> None:
    table = README.text.partition("## Packages")[2].partition("\n## ")[0]
    places = set(
        re.findall(r"`((?:assistant|tools|prompts|knowledge|web|tests|benchmarks|docs)/[\w/.]*)`", table)
    )
    packages = {f"assistant/{file.parent.name}/" for file in (ROOT / "assistant").glob("*/__init__.py")}

    assert sorted(packages - places) == []
    assert [place for place in sorted(places) if not (ROOT / place).exists()] == []
