"""A prompt: a typed input that knows its template."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The values one template is given. Frozen and hashable: equal inputs give equal texts.

    ``template`` is the file's name in the prompts folder. A template sees the fields by their names, and
    ``voice`` (:class:`assistant.prompts.voice.Voice`) beside them; nothing else.
    """

    template: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction(Prompt):
    """Something a model is told. Its lines stay as the template breaks them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance(Prompt):
    """Something the customer is told: one paragraph, however many lines the template takes for it."""
