"""Which policies a model gets: by the customer's wish, and by the tools that were called."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import Call, call_id
from assistant.conversation.documents import Vector
from assistant.conversation.entries import CallRequested, CustomerMessage, PoliciesChosen, TurnStarted
from assistant.conversation.turn_state import TurnState
from assistant.errors import EmbeddingError
from assistant.models.embedder import MiniLm
from assistant.policies.choose import MOST, PolicyFinder, chosen_policies
from assistant.policies.folder import MOST_CHARACTERS, read_policies
from assistant.policies.policy import Policies, Policy
from assistant.testing.virtual_time import VirtualClock

SHOP = read_policies(Path("policies"))


def turn(number: int, *tools: str, named: Sequence[str] | None = None) -> TurnState:
    said = CustomerMessage(message_id=f"u{number}", client_message_id="m", text="Hello")
    state = TurnState(
        TurnStarted(turn_id=f"t{number}", message_id=f"u{number}", cause="message", bundle=""), said
    )
    if named is not None:
        state.apply(PoliciesChosen(names=tuple(named)))
    for place, tool in enumerate(tools, 1):
        state.apply(CallRequested(call=Call(id=call_id(1, place), tool=tool)))
    return state


def names(policies: Sequence[Policy]) -> list[str]:
    return [policy.name for policy in policies]


class FixedEmbedder:
    """Knows the direction of each text; fails or never answers if told so."""

    name, width = "fixed", 2

    def __init__(self, nearby: str, *, error: str = "", after_s: float = 0.0) -> None:
        self.nearby, self.error, self.after_s, self.asked = nearby, error, after_s, list[str]()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        await VirtualClock().sleep(self.after_s)
        if self.error:
            raise EmbeddingError(self.error)
        rows = [(1, 0) if self.nearby in text else (0, 1) for text in texts]
        return [np.asarray(row, dtype="<f4").tobytes() for row in rows]


async def test_the_meaning_of_a_message_chooses_a_policy() -> None:
    told = {
        "Where is my parcel, it was supposed to come last week!": ("late_delivery",),
        "The tracking says delivered but there is no package": ("late_delivery",),
        "Hi. Can I get a refund for order 10482? Thank you so much.": ("returns",),
        "I'd like to return the sunglasses I bought": ("returns",),
        "Your service is terrible": ("complaint",),
        "I moved to a new flat, please update my address": ("change_of_address",),
        "Ich will mich über Ihren Service beschweren": ("complaint",),
        "Wo bleibt mein Paket?": ("late_delivery",),
        "Check my appointments and billing": (),
        "When are you open?": (),
        "Move my appointment to Thursday": (),
        "Wann haben Sie geöffnet?": (),
        "yes": (),
        "10482": (),
        "": (),
    }
    finder = PolicyFinder(SHOP, MiniLm(), VirtualClock())

    # The words of the table are real; so is the model, for which no virtual second may pass.
    await finder.warm()
    assert {text: await finder.choose(text, SHOP.every) for text in told} == told


async def test_without_a_model_words_are_compared() -> None:
    finder = PolicyFinder(SHOP, None, VirtualClock())

    assert await finder.choose("My parcel has still not arrived!", SHOP.every) == ("late_delivery",)
    assert await finder.choose("When are you open?", SHOP.every) == ()


async def test_word_comparison_replaces_a_model_that_fails_or_is_slow() -> None:
    for embedder in (FixedEmbedder("", error="is away"), FixedEmbedder("", after_s=60)):
        finder = PolicyFinder(SHOP, embedder, VirtualClock())

        assert await finder.choose("I want to complain", SHOP.every) == ("complaint",)


async def test_phrases_are_embedded_once() -> None:
    embedder = FixedEmbedder("parcel")
    finder = PolicyFinder(SHOP, embedder, VirtualClock())

    assert await finder.choose("About a parcel", SHOP.every) == ("late_delivery",)
    assert await finder.choose("A parcel", SHOP.every) == ("late_delivery",)
    assert len(embedder.asked) == sum(len(policy.when) for policy in SHOP) + 2


def test_a_called_tool_chooses_the_policies_about_it() -> None:
    assert names(chosen_policies(SHOP.every, turn(1, "get_order_status"), ())) == ["late_delivery"]
    assert names(chosen_policies(SHOP.every, turn(1, "get_open_invoices"), ())) == []


def test_the_message_comes_before_the_tools_and_both_before_earlier_turns() -> None:
    earlier = [turn(1, named=["complaint"]), turn(2, "update_contact_details")]
    now = turn(3, "get_order_status", named=["returns"])

    assert names(chosen_policies(SHOP.every, now, earlier)) == [
        "returns",
        "late_delivery",
        "change_of_address",
    ]
    assert names(chosen_policies(SHOP.every, turn(3), earlier)) == ["change_of_address", "complaint"]
    assert names(chosen_policies(SHOP.every, turn(5), [*earlier, turn(3), turn(4)])) == []


def test_a_policy_that_is_gone_or_does_not_apply_is_not_chosen() -> None:
    assert chosen_policies((), turn(1, "get_order_status", named=["returns"]), ()) == ()


@given(
    sizes=st.lists(st.integers(1, MOST_CHARACTERS), max_size=8),
    called=st.lists(st.sampled_from("abcdefgh"), max_size=4),
    named=st.lists(st.sampled_from("abcdefgh"), max_size=2, unique=True),
)
def test_a_model_gets_few_policies_and_always_the_same(
    sizes: list[int], called: list[str], named: list[str]
) -> None:
    every = Policies(
        tuple(
            Policy(name=name, where="", text="x" * size, tools=(name,))
            for name, size in zip("abcdefgh", sizes, strict=False)
        )
    ).every
    chosen = chosen_policies(every, turn(1, *called, named=named), ())

    assert len(chosen) <= MOST
    assert sum(len(policy.text) for policy in chosen) <= MOST_CHARACTERS
    assert {policy.name for policy in chosen} <= {*called, *named}
    assert chosen == chosen_policies(every, turn(1, *called, named=named), ())
