"""A turn as text, for comparisons in tests."""

from inspect import cleandoc

from assistant.conversation.outcomes import outcome_name
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import AssistantMessage, TurnState, is_heard_out


def scene(text: str) -> str:
    """Returns the expected text of a test, without its indentation.

    >>> scene('''
    ...     Assistant: Hello.
    ... ''')
    'Assistant: Hello.'
    >>> scene('''
    ...       [cancel_visit asked]
    ...     Assistant: Shall I cancel it?
    ... ''').splitlines()[0]
    '  [cancel_visit asked]'
    """
    return cleandoc(f"\n{text}").strip("\n").rstrip()


def scene_of(turn: TurnState) -> str:
    """Returns the events of a turn, round by round: messages, calls in order, the response.

    A call that waits for a confirmation is ``asked``; one without an outcome is ``running``. A spoken message
    is shown up to the heard position.
    """
    return "\n".join(line for line, _ in lines_of(turn))


def lines_of(turn: TurnState) -> list[tuple[str, str]]:
    """Returns the lines of the scene, each with the id of its message or call."""
    lines: list[tuple[str, str]] = []
    numbers = {message.round for message in turn.messages} | {round_.number for round_ in turn.rounds}
    for number in sorted(numbers):
        messages = [message for message in turn.messages if message.round == number]
        lines += [(_line(message), message.id) for message in messages if message.kind != "response"]
        if number <= len(turn.rounds):
            calls = turn.rounds[number - 1].calls
            lines += [(f"  [{call.tool} {_outcome(turn, call.id)}]", call.id) for call in calls]
        lines += [(_line(message), message.id) for message in messages if message.kind == "response"]
    return lines


def _line(message: AssistantMessage) -> str:
    kind = {"response": "", None: " (still speaking)"}.get(message.kind, f" ({message.kind})")
    if not is_heard_out(message):
        return f"Assistant{kind}: {f'{delivered_text(message).rstrip()} --'.lstrip()}"
    cut = " --" if message.interrupted else ""
    return f"Assistant{kind}: {message.text}{cut}"


def _outcome(turn: TurnState, call_id: str) -> str:
    if turn.asked is not None and any(call.id == call_id for call in turn.asked.calls):
        return "asked"
    outcome = turn.outcomes.get(call_id)
    return outcome_name(outcome) if outcome is not None else "running"
