"""However much of a spoken conversation was heard, no model and no agent gets more than that."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.entries import DeliveryReceipt, Logged, MessageOpened, MessageText
from assistant.conversation.model_views import (
    joined,
    turn_view,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.conversation.turn_state import AssistantMessage, TurnState
from assistant.conversation.views import FromAssistant, TurnView
from assistant.turn.view_builder import ViewCache
from tests.conversation.histories import histories
from tests.conversation.test_views import check

WORDS = 4


def words_of(message_id: str) -> list[str]:
    """What a message says: words that stand nowhere else."""
    return [f"{message_id}#{number}" for number in range(WORDS)]


TOO_FAR = len(" ".join(words_of("t14/m1.1"))) + 5


def in_words_of_its_own(logged: Logged) -> Logged:
    entry = logged.entry
    if not isinstance(entry, MessageText):
        return logged
    return replace(logged, entry=replace(entry, text=" ".join(words_of(entry.message_id))))


@st.composite
def heard_histories(draw: st.DrawFn) -> list[Logged]:
    """A log with spoken messages: the entry of how far each was heard is anywhere after its beginning."""
    entries = [in_words_of_its_own(logged) for logged in draw(histories())]
    opened = [logged.entry.message_id for logged in entries if isinstance(logged.entry, MessageOpened)]
    for message_id in opened:
        for up_to in draw(st.lists(st.integers(0, TOO_FAR), max_size=2)):
            told = DeliveryReceipt(message_id=message_id, how="heard", up_to=up_to)
            begun = next(place for place, one in enumerate(entries) if _opens(one, message_id))
            entries.insert(draw(st.integers(begun + 1, len(entries))), Logged(0, 0, "", told))
    return [replace(logged, seq=seq, at_ms=seq * 10) for seq, logged in enumerate(entries, start=1)]


def _opens(logged: Logged, message_id: str) -> bool:
    return isinstance(logged.entry, MessageOpened) and logged.entry.message_id == message_id


def said_in(view: TurnView) -> set[str]:
    texts = (message.text for message in view.messages if isinstance(message, FromAssistant))
    return {word for text in texts for word in text.replace("…", " ").split()}


def heard_of(message: AssistantMessage) -> set[str]:
    """The words of a message that were heard, the beginning of the last one too."""
    return set(message.text[: message.heard].split())


@given(heard_histories())
def test_a_view_of_a_past_turn_has_only_the_heard_text(
    entries: list[Logged],
) -> None:
    state = ConversationState(entries)

    for turn in state.turns:
        heard = set[str]().union(*map(heard_of, turn.messages))
        if turn.how is not None:
            assert said_in(turn_view(turn)) <= heard
        else:
            assert said_in(turn_view(turn)) >= _said_by_models(turn)
    spoken = {word for line in transcript(state) if line.speaker == "assistant" for word in line.text.split()}
    assert spoken == {word for turn in state.turns for message in turn.messages for word in heard_of(message)}


def _said_by_models(turn: TurnState) -> set[str]:
    return {word for one in turn.messages if one.model_written and one.kind for word in one.text.split()}


@given(heard_histories())
def test_every_call_is_followed_by_its_outcome_however_little_was_heard(entries: list[Logged]) -> None:
    for turn in ConversationState(entries).turns:
        check(turn_view(turn).messages, unasked=turn.unasked)


@given(heard_histories())
def test_the_view_of_a_turn_changes_with_its_heard_part(entries: list[Logged]) -> None:
    remembered, state = ViewCache(turn_view), ConversationState()
    for entry in entries:
        state.apply(entry)
        fresh = [turn_view(turn).messages for turn in state.turns]
        assert [view.messages for view in remembered.views_of(state.turns)] == fresh


@given(histories())
def test_text_heard_to_its_end_counts_like_read_text(entries: list[Logged]) -> None:
    written, spoken = ConversationState(entries), ConversationState(entries)
    for message in (message for turn in spoken.turns for message in turn.messages):
        message.heard = len(message.text)

    assert [turn_view(turn).messages for turn in spoken.turns] == [
        turn_view(turn).messages for turn in written.turns
    ]
    assert transcript(spoken) == transcript(written)


@given(heard_histories())
def test_a_turn_is_unsettled_until_its_answer_was_heard_completely(entries: list[Logged]) -> None:
    state = ConversationState(entries)
    silent = ConversationState(
        [logged for logged in entries if not isinstance(logged.entry, DeliveryReceipt)]
    )

    cut = [turn.id for turn in state.turns if turn.how is not None and _has_unheard_answer(turn)]
    assert {turn.id for turn in state.unsettled} == {*cut, *(turn.id for turn in silent.unsettled)}
    assert [turn.began for turn in state.unsettled] == sorted(turn.began for turn in state.unsettled)


def _has_unheard_answer(turn: TurnState) -> bool:
    answers = (message for message in turn.messages if message.kind == "response")
    return any(heard_of(message) != set(message.text.split()) for message in answers)


def test_several_cut_offs_give_one_mark() -> None:
    assert joined(["Sure…", "…", "", "…", "Bye.", "…"]) == "Sure… Bye. …"
