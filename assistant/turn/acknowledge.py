"""Says what is being looked up, in one sentence that grows while the decision streams."""

from collections.abc import Sequence

from assistant.conversation.tool_spec import Hint
from assistant.prompts.acknowledgement import AcknowledgementWords, Register
from assistant.prompts.shipped import shipped_book


def acknowledge(hints: Sequence[str], lead: str, words: AcknowledgementWords | None = None) -> str:
    """Promise the work in one sentence; hints are in their ``will`` form. "" when there are none.

    Three things at most are named, four or more are counted from the third on. Equal hints are named once, an
    empty one gives the neutral phrase. ``words`` are English as it comes with the package when left out.

    >>> acknowledge(["look up your appointments", "check your billing"], "Sure, I'll")
    "Sure, I'll look up your appointments and check your billing."
    >>> acknowledge(["check your billing", "check your billing"], "Sure, I'll")
    "Sure, I'll check your billing."
    >>> acknowledge(["look up a", "look up b", "look up c"], "I'll also")
    "I'll also look up a, look up b and look up c."
    >>> acknowledge(["look up a", "look up b", "look up c", "look up d"], "I'll also")
    "I'll also look up a, look up b and take care of two more things."
    >>> acknowledge([""], "Let me see. I'll")
    "Let me see. I'll look into that."
    """
    words = words or shipped_book().acknowledgement("en")
    things = list(dict.fromkeys(hint.strip() or words.neutral for hint in hints))
    match things:
        case []:
            return ""
        case [only]:
            return f"{lead} {only}{words.end()}"
        case [first, second]:
            return f"{lead} {first}{words.last(second)}"
        case [first, second, third]:
            return f"{lead} {first}{words.next(second)}{words.last(third)}"
        case _:
            first, second, *rest = things
            return f"{lead} {first}{words.next(second)}{words.more(len(rest))}"


class GrowingAcknowledgement:
    """The same sentence, given out piece by piece. The pieces joined equal :func:`acknowledge`.

    Args:
        words: the locale's, from ``PromptBook.acknowledgement``.
        register: what the customer's message asks for, from :func:`assistant.turn.register.register_of`.
        last_lead: the lead-in last used in this conversation, which is not used again at once.
    """

    __slots__ = ("_held", "_named", "_words", "lead", "text")

    def __init__(self, words: AcknowledgementWords, register: Register, last_lead: str | None = None) -> None:
        self.lead = words.lead(register, last_lead)
        self.text = ""
        """What has been given out so far."""
        self._words = words
        # A dict keeps the order; a hint in it has been named, is held, or is only counted.
        self._named: dict[str, None] = {}
        self._held: str | None = None

    def announce(self, hint: Hint | None) -> str:
        """Take one more thing that will be done; give the piece to show now, "" when there is none."""
        will = (hint.will.strip() if hint else "") or self._words.neutral
        if will in self._named:
            return ""
        self._named[will] = None
        match len(self._named):
            case 1:
                return self._shown(f"{self.lead} {will}")
            case 2:
                # Held back until we know whether it is the last: "a, b" and "a and b" differ before b.
                self._held = will
                return ""
            case 3:
                second, self._held = self._held or "", will
                return self._shown(self._words.next(second))
            case _:
                return ""

    def close(self) -> str:
        """Nothing more will be announced: give the end of the sentence, "" when none was begun."""
        count = len(self._named)
        if count == 0:
            return ""
        if count > 3:
            return self._shown(self._words.more(count - 2))
        return self._shown(self._words.end() if self._held is None else self._words.last(self._held))

    def _shown(self, piece: str) -> str:
        self.text += piece
        return piece
