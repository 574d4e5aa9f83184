"""Models read the names of a customer's files below the text, and the embedded model parses them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.documents import Attached
from assistant.conversation.entries import AgentMessage, CustomerMessage, Entry, ForwardedToAgent, TurnStarted
from assistant.conversation.model_views import turn_view
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.conversation.views import FromAssistant, FromCustomer, handoff_view, parse_files, with_files
from tests.conversation.histories import logged

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
FILES = st.lists(st.builds(Attached, ref=st.from_regex(r"document:[a-z0-9]+", fullmatch=True), name=NAMES))


@given(FILES)
def test_any_file_name_stays_on_one_line_and_is_parsed_back(files: list[Attached]) -> None:
    said = with_files("Is this right?", files)

    assert said.count("\n") == len(files)
    assert parse_files(said) == ("Is this right?", tuple(files))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " Hello ",
        r'[file from the customer: "\q", document:7]',
        '[file from the customer: "a", result:7]',
        'See [file from the customer: "a", document:7] there',
    ],
)
def test_other_text_is_not_changed(text: str) -> None:
    assert parse_files(text) == (text, ())


FILE = Attached(ref="document:7", name="May.pdf")
NOTE = '[file from the customer: "May.pdf", document:7]'


def _state(*more: Entry) -> ConversationState:
    sent = CustomerMessage(message_id="u1", client_message_id="a", text="Is this right?", attachments=(FILE,))
    return ConversationState(logged([("", sent), *(("", entry) for entry in more)]))


def test_models_and_people_see_the_file_with_its_message() -> None:
    state = _state(TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"))

    assert turn_view(state.turns[0]).messages == (FromCustomer(f"Is this right?\n{NOTE}"),)
    assert [line.text for line in transcript(state)] == [f"Is this right?\n{NOTE}"]


def test_a_waiting_message_names_its_file_too() -> None:
    assert [line.text for line in transcript(_state())] == [f"Is this right?\n{NOTE}"]


def test_a_file_that_was_sent_to_an_agent_is_known_to_models_later() -> None:
    state = _state(
        ForwardedToAgent(message_id="u1", handoff_id="h"),
        CustomerMessage(message_id="u2", client_message_id="b", text="Hello?"),
        ForwardedToAgent(message_id="u2", handoff_id="h"),
        AgentMessage(message_id="h1", handoff_id="h", name="Kim", text="I'll look."),
    )

    assert handoff_view(state.remarks) == [
        FromCustomer(f"Is this right? Hello?\n{NOTE}"),
        FromAssistant("Kim: I'll look."),
    ]
    assert [line.text for line in transcript(state)] == [f"Is this right?\n{NOTE}", "Hello?", "I'll look."]
