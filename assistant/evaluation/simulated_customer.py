"""A customer played by a model: its goal, its model, and its next message."""

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Literal, TypeAlias

from assistant.assembly.models import Providers, is_embedded
from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.entries import ModelAsked, ModelChunks
from assistant.conversation.transcript import TranscriptLine
from assistant.conversation.usage import Usage, UsageCount
from assistant.conversation.views import FromAssistant, FromCustomer, TurnView, View, ViewMessage
from assistant.errors import AssistantError, DeclarationError, ModelError
from assistant.evaluation.tasks import PlayedCustomer, PromptedCustomer, SimulatedCustomer
from assistant.ports import Clock, Model, ModelOptions, ModelRequest
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import SimulatedCustomerPart
from assistant.prompts.locale import language_name
from assistant.settings import Settings
from assistant.settings_sources import environment
from assistant.turn.context import RoleModel

How: TypeAlias = Literal["done", "circles", "most_messages"]
"""Why a customer leaves: they have reached their goal or given up, they repeat the same message, or they have
sent the most messages that the task allows."""


@dataclass(frozen=True, slots=True)
class CustomerLeft:
    """The customer sends no more messages."""

    how: How


class SimulatorFailed(AssistantError):
    """The model that plays the customer failed, so the conversation is no result for the assistant."""


class SimulatorModel:
    """Plays customers with a model, and counts its usage."""

    def __init__(self, role: RoleModel) -> None:
        self._role = role
        self._used = UsageCount()

    @property
    def name(self) -> str:
        """The model's name in the settings."""
        return self._role.model.name

    @property
    def usage(self) -> Usage:
        """The usage of the requests so far."""
        return self._used.usage

    async def reply(self, view: View) -> str:
        """Returns the model's reply to a view in which the customer's own messages have the role of the
        assistant.

        Raises:
            SimulatorFailed: the model failed, refused, or was cut off.
        """
        model, options = self._role.model, self._role.options
        chunks: list[Chunk] = []
        # The narrator's role, because it only writes text.
        request = ModelRequest(role="narrator", view=view, options=options)
        self._used.add_entry(ModelAsked(round=1, role="narrator", model=model.name))
        try:
            async with aclosing(model.stream(request)) as stream:
                chunks.extend([chunk async for chunk in stream])
        except ModelError as error:
            raise SimulatorFailed(f"{model.name}, who plays the customer, failed: {error}") from error
        timed = tuple((0, chunk) for chunk in chunks)
        self._used.add_entry(ModelChunks(round=1, role="narrator", chunks=timed))
        last = chunks[-1] if chunks else None
        if not isinstance(last, StreamEnded) or last.reason in ("length", "refused"):
            how = last.reason if isinstance(last, StreamEnded) else "without its end"
            raise SimulatorFailed(f"{model.name}, who plays the customer, ended its message so: {how}")
        return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))


SILENCE = "..."
"""Replaces an answer that never came, because providers require the last message to be the user's."""


def with_roles_swapped(greeting: str, transcript: Sequence[TranscriptLine]) -> TurnView:
    """Returns the customer's messages with the model's role, and the assistant's with the user's.

    The roles alternate.

    >>> line = TranscriptLine(message_id="u1", speaker="customer", text="Hi")
    >>> [(type(said).__name__, said.text) for said in with_roles_swapped("Welcome.", [line]).messages]
    [('FromCustomer', 'Welcome.'), ('FromAssistant', 'Hi'), ('FromCustomer', '...')]
    """
    messages: list[ViewMessage] = [FromCustomer(greeting)]
    spoken = [line for line in transcript if line.text.strip()]
    for speaker, lines in groupby(spoken, key=lambda line: line.speaker):
        text = "\n".join(line.text.strip() for line in lines)
        messages.append(FromAssistant(text) if speaker == "customer" else FromCustomer(text))
    if isinstance(messages[-1], FromAssistant):
        messages.append(FromCustomer(SILENCE))
    return TurnView(tuple(messages))


def can_play(model: str) -> bool:
    """Whether this model can play a customer: any model except the embedded one, which only works with tools."""
    return not is_embedded(model)


def simulator_of(settings: Settings) -> str:
    """Returns the name of the model that plays customers: from its own setting, or else the decision model."""
    return settings.simulator_model or settings.model


def customer_model(name: str, settings: Settings, clock: Clock) -> RoleModel:
    """Returns the model with this name, without fallback, with the timeouts of the settings.

    The caller must close it.

    Raises:
        DeclarationError: there is no such model, a setting for it is missing, or it cannot play a customer.
    """
    return RoleModel(
        model=Providers(clock, environment(), settings.model_options).model(
            [name], settings.model_attempts, _no_model
        ),
        options=ModelOptions(
            first_token_s=settings.first_token_timeout_s, next_token_s=settings.next_token_timeout_s
        ),
    )


def _no_model() -> Model:
    raise DeclarationError(
        "the embedded model cannot play a customer; name a provider's model, such as openai/gpt-6-luna"
    )


END_MARK = "[END]"
"""The text with which the model shows that the customer has nothing more to say."""

LONGEST = 1000
"""The most characters of a message. Customers write less; models that forget their role write more."""

_SAME = 2
"""How many times the same message may be sent."""

_END = re.compile(r"\[\s*end\s*\]", re.IGNORECASE)


async def next_message(
    customer: PlayedCustomer,
    transcript: Sequence[TranscriptLine],
    actor: SimulatorModel,
    book: PromptBook,
    *,
    today: date,
    locale: str = "en",
) -> str | CustomerLeft:
    """Let the model write the customer's next message, or leave if there is nothing more to say.

    A farewell before the end mark is still sent.

    Args:
        customer: the customer to play.
        transcript: all messages so far.
        actor: the model that plays.
        book: has the instructions, and the greeting that a customer sees first.
        today: the day of the conversation.
        locale: the language of the customer's page.

    Raises:
        SimulatorFailed: the model failed, wrote nothing, or wrote far too much.
    """
    own = [_plain(line.text) for line in transcript if line.speaker == "customer"]
    if len(own) >= customer.most_messages:
        return CustomerLeft("most_messages")
    greeting = book.voice_in(locale).greeting
    told = (
        customer.prompt
        if isinstance(customer, PromptedCustomer)
        else book.render(_part(customer, today, locale))
    )
    written = await actor.reply(View(told, (with_roles_swapped(greeting, transcript),)))
    if isinstance(customer, PromptedCustomer):
        left = any(mark in written for mark in customer.end_marks)
        return CustomerLeft("done") if left else _checked(written.strip(), own)
    text = _END.sub("", written).strip()
    if _END.search(written) and own and (not _plain(text) or _plain(text) in own):
        return CustomerLeft("done")
    return _checked(text, own)


def _part(customer: SimulatedCustomer, today: date, locale: str) -> SimulatedCustomerPart:
    return SimulatedCustomerPart(
        persona=customer.persona,
        goal=customer.goal,
        facts=tuple(customer.facts.items()),
        end_mark=END_MARK,
        language=language_name(locale),
        today=today,
    )


def _checked(text: str, own: Sequence[str]) -> str | CustomerLeft:
    if not text:
        what = "a message" if own else "their first message"
        raise SimulatorFailed(f"who plays the customer wrote nothing, where {what} was due")
    if len(text) > LONGEST:
        raise SimulatorFailed(
            f"who plays the customer wrote {len(text)} characters, of {LONGEST} that a message may have:"
            f" {text[:80]!r}..."
        )
    return CustomerLeft("circles") if own.count(_plain(text)) >= _SAME else text


def _plain(text: str) -> str:
    """Returns the form in which messages are compared: their words, or else their characters.

    >>> _plain("Yes,  please!") == _plain("yes please"), _plain("**"), _plain("?")
    (True, '', '?')
    """
    return " ".join(re.findall(r"\w+", text.casefold())) or text.strip("*_`\"'. \n")
