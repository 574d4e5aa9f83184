"""What the summary models get of a turn."""

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallPending, CallSucceeded
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.memory.summary_facts import DialogueLine, dialogue_lines

ORDER = Call(id="c1.1", tool="get_order", arguments={"order": "A-1"})


def test_speakers_and_results_are_listed_in_order() -> None:
    bills = Call(id="c1.2", tool="list_bills")
    turn = TurnView(
        (
            FromCustomer("Where is my order? "),
            FromAssistant("", (ORDER, bills)),
            FromTools((CallSucceeded(call=ORDER, value={"due": "2026-11-30"}), CallEmpty(call=bills))),
            FromAssistant("It comes on November 30."),
        )
    )

    assert dialogue_lines((turn, TurnView((FromCustomer(" "), FromCustomer("Thanks"))))) == (
        DialogueLine("Customer", "Where is my order?"),
        DialogueLine("get_order", '{"order":"A-1"} -> {"due":"2026-11-30"}'),
        DialogueLine("list_bills", "-> empty"),
        DialogueLine("Assistant", "It comes on November 30."),
        DialogueLine("Customer", "Thanks"),
    )


def test_a_long_result_is_cut_with_the_reference_of_the_full_one() -> None:
    short = CallSucceeded(call=ORDER, value="word \n" * 200, full_ref="result:c/t1/c1.1")

    (said,) = dialogue_lines((TurnView((FromTools((short,)),)),))

    assert said.text.startswith('{"order":"A-1"} -> word word')
    assert said.text.endswith("… [result:c/t1/c1.1]")
    assert len(said.text) < 500


def test_a_missing_result_is_one_word() -> None:
    outcomes = (CallDenied(call=ORDER, say="no", for_model="no"), CallPending(call=ORDER))

    said = dialogue_lines((TurnView((FromTools(outcomes),)),))

    assert [one.text for one in said] == ['{"order":"A-1"} -> denied', '{"order":"A-1"} -> pending']
