"""A promise without a call is asked about once; no customer waits for a lookup that does not run."""

from assistant.conversation.entries import SentenceSuppressed
from assistant.prompts.book import shipped_book
from assistant.testing.scene import scene
from assistant.testing.script import breaks, calls, says
from assistant.turn.decide import promises
from tests.support.rows import check_rows
from tests.turn.conftest import Company

PROMISE = says("Let me check that for you.")
BROKEN = "I'm sorry, something went wrong on our side and I couldn't finish this. Please try again."


async def test_when_the_calls_come_the_promise_is_the_acknowledgement(company: Company) -> None:
    ana = company.chat(PROMISE, calls("get_open_invoices"), says("$150."))

    assert await ana.says("What do I owe?") == scene("""
        Assistant (acknowledgement): Let me check that for you.
          [get_open_invoices ok]
        Assistant: $150.
    """)
    assert ana.session.state.turns[-1].messages[0].call_ids == ("c1.1",)
    assert "Let me check that for you." in company.model.requests[1].view.late


async def test_a_second_promise_ends_in_an_honest_apology(company: Company) -> None:
    ana = company.chat(PROMISE, says("I'll check it right now."))

    assert await ana.says("What do I owe?") == scene(f"""
        Assistant (status): Let me check that for you.
        Assistant: {BROKEN}
    """)
    assert SentenceSuppressed(round=1, guardrail="repetition", text="I'll check it right now.") in [
        logged.entry for logged in ana.session.entries
    ]
    assert ana.session.state.turns[-1].how == "apologised"


async def test_a_second_reply_in_words_is_one_message_and_the_answer(company: Company) -> None:
    ana = company.chat(PROMISE, says("I have no way to look at parking fines."))

    assert await ana.says("Any parking fines?") == scene("""
        Assistant (status): Let me check that for you.
        Assistant: I have no way to look at parking fines.
    """)
    assert ana.session.state.turns[-1].how == "answered"


async def test_text_before_the_calls_of_a_second_reply_acknowledges_them(company: Company) -> None:
    ana = company.chat(PROMISE, calls("get_open_invoices", text="Opening your file."), says("$150."))

    assert await ana.says("What do I owe?") == scene("""
        Assistant (status): Let me check that for you.
        Assistant (acknowledgement): Opening your file.
          [get_open_invoices ok]
        Assistant: $150.
    """)


async def test_a_second_reply_that_dies_gets_an_apology(company: Company) -> None:
    ana = company.chat(PROMISE, breaks())

    said = await ana.says("What do I owe?")

    assert said.splitlines()[0] == "Assistant (status): Let me check that for you."
    assert "I can't reach" in said.splitlines()[1]


async def test_the_next_message_is_answered_as_usual(company: Company) -> None:
    ana = company.chat(PROMISE, PROMISE, says("Gladly."))
    await ana.says("What do I owe?")

    assert await ana.says("Thanks anyway") == "Assistant: Gladly."


@check_rows(
    ("text", "promised"),
    [
        ("Let me check.", True),
        ("Good question. I'll look that up!", True),
        ("I'll check as soon as you tell me the number.", False),
        ("Shall I look? I'll look right away.", False),
        ("You owe $150.", False),
        ("", False),
    ],
)
def test_a_promise_does_not_depend_on_others(text: str, promised: bool) -> None:
    words = shipped_book().words("en")

    assert promises(text, words.promise, words.condition) is promised
