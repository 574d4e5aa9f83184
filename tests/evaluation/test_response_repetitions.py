"""What a customer was told twice, turn by turn."""

from assistant.conversation.entries import CustomerMessage, TurnStarted
from assistant.conversation.turn_state import AssistantMessage, TurnState
from assistant.conversation.values import MessageKind
from assistant.evaluation.measures import response_repetitions
from assistant.prompts.book import shipped_book

ANNOUNCED = "Sure, I'll look up your appointments and check your billing."
AGAIN = "I've looked up your appointments and checked your billing. You owe $5."
NEW = "You come on Tuesday at 2 pm, and you owe $5."


def turn(*messages: tuple[MessageKind, str], locale: str = "en") -> TurnState:
    said = CustomerMessage(message_id="u1", client_message_id="m1", text="Hi", locale=locale)
    state = TurnState(TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"), said)
    state.messages.extend(
        AssistantMessage(id=f"a{number}", round=1, kind=kind, text=text)
        for number, (kind, text) in enumerate(messages)
    )
    return state


def repeats(*turns: TurnState) -> list[bool]:
    return [one.repeats for one in response_repetitions(turns, shipped_book())]


def test_a_response_is_compared_with_what_was_announced_before_it() -> None:
    assert repeats(
        turn(("acknowledgement", ANNOUNCED), ("response", AGAIN)),
        turn(("acknowledgement", ANNOUNCED), ("response", NEW)),
        turn(("status", ANNOUNCED), ("response", AGAIN)),
    ) == [True, False, True]


def test_turns_with_nothing_to_compare_do_not_count() -> None:
    assert repeats(turn(("response", NEW)), turn(("acknowledgement", ANNOUNCED)), turn()) == []
    assert repeats(turn(("response", ANNOUNCED), ("acknowledgement", AGAIN))) == []


def test_of_several_responses_the_worst_counts() -> None:
    assert repeats(turn(("acknowledgement", ANNOUNCED), ("response", AGAIN), ("response", NEW))) == [True]
    assert repeats(turn(("acknowledgement", ANNOUNCED), ("response", NEW), ("response", AGAIN))) == [True]


def test_german_is_compared_as_german() -> None:
    messages: tuple[tuple[MessageKind, str], ...] = (
        ("acknowledgement", "Gern, ich prüfe Ihre Rechnung."),
        ("response", "Ich habe Ihre Rechnungen geprüft."),
    )

    assert repeats(turn(*messages, locale="de"), turn(*messages, locale="en")) == [True, False]


def test_an_announced_action_that_is_done_is_news() -> None:
    done: tuple[tuple[MessageKind, str], ...] = (
        ("acknowledgement", "I'll cancel your appointment."),
        ("response", "Your appointment is cancelled."),
    )

    assert repeats(turn(*done)) == [False]


def test_unheard_text_does_not_count() -> None:
    spoken = turn(("acknowledgement", ANNOUNCED), ("response", AGAIN))
    spoken.messages[0].heard = len("Sure,")

    assert repeats(spoken) == [False]


def test_the_measures_are_stored() -> None:
    (found,) = response_repetitions(
        [turn(("acknowledgement", ANNOUNCED), ("response", ANNOUNCED))], shipped_book()
    )

    assert (found.share, found.run, found.trigrams, found.repeats) == (1.0, 1.0, 1.0, True)
