"""A task: what a customer says, and what must have come of it in the end."""

import hashlib
import re
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import PydanticCustomError

from assistant.conversation.customer import Level
from assistant.replay.simulated.customer import MOST_MESSAGES

Text = Annotated[str, Field(min_length=1)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Says(_Written):
    """The customer says something: always, or only ``when`` a read-back waits for an answer, or none does."""

    say: Text
    when: Literal["always", "asked", "not asked"] = "always"


class Confirms(_Written):
    """The customer presses a button of the read-back; left out while none waits for an answer."""

    confirm: Literal["yes", "no"]


def _kind_of_message(given: object) -> str:
    return "confirm" if isinstance(given, Confirms) or _has(given, "confirm") else "say"


def _as_said(given: object) -> object:
    return {"say": given} if isinstance(given, str) else given


Message: TypeAlias = Annotated[
    Annotated[Annotated[Says, BeforeValidator(_as_said)], Tag("say")] | Annotated[Confirms, Tag("confirm")],
    Discriminator(_kind_of_message),
]


class Simulated(_Written):
    """A customer whom a model plays: who they are, what they want, all they know, how often they may write."""

    persona: Text
    goal: Text
    facts: dict[Text, Text] = {}
    most_messages: Annotated[int, Field(ge=1, le=50)] = MOST_MESSAGES


class Changed(_Written):
    """A row of a table that has other values afterwards: in these columns, and in no others."""

    table: Text
    row: Text
    changed: dict[str, str] = Field(min_length=1)


class Added(_Written):
    """A new row. What is not named of it may be anything."""

    table: Text
    added: dict[str, str]


class Removed(_Written):
    """A row that is gone, by its key."""

    table: Text
    removed: Text


def _kind_of_change(given: object) -> str:
    for kind, model in (("added", Added), ("removed", Removed)):
        if isinstance(given, model) or _has(given, kind):
            return kind
    return "changed"


Change: TypeAlias = Annotated[
    Annotated[Changed, Tag("changed")] | Annotated[Added, Tag("added")] | Annotated[Removed, Tag("removed")],
    Discriminator(_kind_of_change),
]


class Preparation(_Written):
    """A tool that is run for the customer before the conversation begins."""

    tool: Text
    arguments: dict[str, str] = {}


def _readable(words: str) -> str:
    try:
        pattern_of(words)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from error
    return words


def _several(given: object) -> object:
    return [given] if isinstance(given, str) else given


Words = Annotated[Text, AfterValidator(_readable)]
"""A text, in upper or lower case; between slashes, a regular expression."""

Choice = Annotated[tuple[Words, ...], BeforeValidator(_several), Field(min_length=1)]
"""One of these is enough."""


class Task(_Written):
    """One task.

    Either ``messages`` say what the customer writes, or ``simulated`` says who does; the other is empty.
    ``now`` is the time at which it begins, in the company's time zone. ``changes`` is all that may be
    different afterwards in the tables that are not in ``ignore_tables``. ``must`` and ``must_not`` are looked
    for in everything that the assistant said; ``calls`` and ``calls_not`` are tools that ran, or did not.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    about: str = ""
    now: datetime
    customer: Text = "demo"
    level: Level = "verified"
    locale: Text = "en"
    before: tuple[Preparation, ...] = ()
    simulated: Simulated | None = None
    messages: Annotated[tuple[Message, ...], Field(min_length=1, validate_default=True)] = ()
    changes: tuple[Change, ...] = ()
    ignore_tables: tuple[str, ...] = ()
    must: tuple[Choice, ...] = ()
    must_not: tuple[Words, ...] = ()
    calls: tuple[str, ...] = ()
    calls_not: tuple[str, ...] = ()

    @field_validator("messages", mode="wrap")
    @classmethod
    def _one_of_both(
        cls, given: object, check: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> tuple[Message, ...]:
        # A customer who is wrong himself is told of for that alone.
        if "simulated" not in info.data or (info.data["simulated"] is not None and not given):
            return ()
        if info.data["simulated"] is not None:
            raise PydanticCustomError(
                "both", "a customer who is simulated has no messages; keep one of the two"
            )
        if given == ():
            raise PydanticCustomError(
                "missing", "Field required; or simulated, for a customer whom a model plays"
            )
        return check(given)

    @property
    def most_messages(self) -> int:
        """So many messages of the customer's at most."""
        return len(self.messages) if self.simulated is None else self.simulated.most_messages

    @property
    def digest(self) -> str:
        """Changes with everything that matters for a result: 12 hex digits."""
        # What stands in no file is left out, so that results stay those of the task as they were kept.
        unsaid = {"simulated"} if self.simulated is None else {"messages"}
        content = self.model_dump_json(exclude={"about", *unsaid})
        return hashlib.sha256(content.encode()).hexdigest()[:12]


def pattern_of(words: str) -> re.Pattern[str]:
    """What finds these words in a text.

    >>> bool(pattern_of("2 PM").search("at 2 pm.")), bool(pattern_of("/14[:.]00|2 pm/").search("14.00 Uhr"))
    (True, True)
    >>> bool(pattern_of("2 pm").search("at 12 pm"))
    False
    """
    if len(words) > 2 and words.startswith("/") and words.endswith("/"):
        return re.compile(words[1:-1], re.IGNORECASE)
    # "$30" is not found in "$300", nor "2 pm" in "12 pm".
    begin, end = (r"(?<!\w)" if words[0].isalnum() else ""), (r"(?!\w)" if words[-1].isalnum() else "")
    return re.compile(f"{begin}{re.escape(words)}{end}", re.IGNORECASE)


def _has(given: object, key: str) -> bool:
    return isinstance(given, dict) and key in given
