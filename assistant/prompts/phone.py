"""What callers are told because they are on the phone."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from assistant.prompts.prompt import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneTold(Utterance):
    """What the assistant says on the phone beside its answers.

    ``greeting``: the first words, which say that a machine speaks. ``keys``: after a read-back, that a key answers
    it. ``transfer``: right before the call is passed on to a person.
    """

    template: ClassVar[str] = "phone.j2"
    what: Literal["greeting", "keys", "transfer"]
