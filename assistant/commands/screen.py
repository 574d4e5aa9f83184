"""A conversation as a terminal shows it."""

from collections.abc import Callable, Sequence

from rich.console import Console

from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    Handoff,
    HumanSaid,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.conversation.outcomes import outcome_name


class Screen:
    """Shows entries as they become durable: messages as they stream, calls as they start and end.

    Args:
        console: takes text as it is: without markup and emoji codes.
        name: the assistant's, before all that it says.
        doing: what a tool's call is called in a locale: "looking up your appointments".
    """

    def __init__(self, console: Console, name: str, doing: Callable[[str, str], str]) -> None:
        self._console, self._name, self._doing = console, name, doing
        self._started: dict[str, str] = {}
        self._pending: list[str] = []
        self._speaking = False

    def show(self, batch: Sequence[Logged]) -> None:
        """Show what came; a listener for the session."""
        for logged in batch:
            match logged.entry:
                case MessageOpened():
                    self._speaking = True
                    self._console.print(f"{self._name}: ", style="bold", end="")
                case MessageText(text=text):
                    self._console.print(text, end="")
                case MessageClosed():
                    self._speaking = False
                    self._console.print()
                    self._print_pending()
                case CallStarted(call_id=call_id, tool=tool):
                    self._started[call_id] = tool
                    self._say(f"  {self._doing(tool, 'en')} ...")
                case CallEnded(outcome=outcome) if outcome.call.id in self._started:
                    tool = self._started.pop(outcome.call.id)
                    self._say(f"  {self._doing(tool, 'en')}: {outcome_name(outcome)}")
                case Handoff(state=state, name=person, ticket=ticket):
                    self._say("  " + " ".join(filter(None, ("person:", state, person, ticket))))
                case HumanSaid(name=person, text=text):
                    self._console.print(f"{person}: ", style="bold", end="")
                    self._console.print(text)
                case _:
                    pass

    def _say(self, line: str) -> None:
        # A call may start in the middle of the sentence that announces it.
        self._pending.append(line)
        if not self._speaking:
            self._print_pending()

    def _print_pending(self) -> None:
        for line in self._pending:
            self._console.print(line, style="dim")
        self._pending.clear()
