"""What the prompt editors' page shows is what they will see."""

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from tests.docs.conftest import Checkout
from tests.docs.pages import page


def test_a_misspelt_name_is_refused_as_shown(checkout: Checkout) -> None:
    checkout.edit("prompts/models/narrator.j2", "{{ acknowledgement", "{{ acknowledgment")

    with pytest.raises(DeclarationError) as refusal:
        PromptBook.load(checkout.folder / "prompts")

    (shown,) = [
        block for block in page("docs/guides/prompts.md").blocks("text") if "unknown variable" in block
    ]
    assert f"{checkout.folder}/{shown.strip()}" in str(refusal.value).splitlines()


@pytest.mark.slow
def test_a_prompt_is_shown_with_the_editors_own_values(checkout: Checkout) -> None:
    clauses = 'clauses=["cancel your eye test", "book a lens fitting"]'

    done = checkout.run("-m", "assistant", "prompts", "render", "read_back", "--set", clauses)

    assert f"--set '{clauses}'" in page("docs/guides/prompts.md").text
    assert done.stdout.strip() == "Shall I cancel your eye test and book a lens fitting?"
