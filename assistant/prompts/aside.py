"""What is said to customers who speak, beside the conversation."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from assistant.prompts.prompt import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside(Utterance):
    """A few words that are no message of the conversation.

    ``moment``: the answer is not there yet, and nothing has been said. ``not_understood``: what the customer said
    could not be written down. ``busy``: too many messages wait already.
    """

    template: ClassVar[str] = "aside.j2"
    what: Literal["moment", "not_understood", "busy"]
