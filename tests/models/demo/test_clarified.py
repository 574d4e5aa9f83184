"""Conversations with a clarification: a missing value, one of two things, a change of mind."""

from tests.models.demo.clarified import HERE, Conversation, came_of, conversations, fits, wrong_writes
from tests.models.demo.conftest import OpenTalk
from tests.support.rows import check_rows

CONVERSATIONS = list(conversations((HERE / "clarified.txt").read_text(encoding="utf-8")))


@check_rows("conversation", CONVERSATIONS, ids=lambda one: one.about.replace(" ", "-"))
async def test_the_clarification_goes_right(shop: OpenTalk, conversation: Conversation) -> None:
    ana = shop()

    for said, wanted in conversation.turns:
        came = await came_of(ana, said)

        assert fits(came, wanted), f"{said!r}: {came}"
        assert not wrong_writes(came, wanted)


def test_there_are_enough_conversations() -> None:
    assert len(CONVERSATIONS) >= 25
