"""A tool whose behaviour the test defines, and which records its calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from assistant.conversation.customer import Customer
from assistant.conversation.media import Media
from assistant.conversation.tool_spec import Acknowledge, Hint, ToolSpec
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.errors import BadArguments, ToolError
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.tools.tool import ToolContext, ToolResult


@dataclass(frozen=True, slots=True)
class Gives:
    """The tool succeeds after ``after_s`` seconds. The result has ``media`` in addition to its value."""

    value: Json
    after_s: float = 0.0
    media: tuple[Media, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuses:
    """The tool raises a ToolError with a clause that the customer may hear."""

    say: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The tool raises an unexpected exception."""


Behaviour: TypeAlias = Gives | Refuses | Broken


@dataclass(slots=True)
class FakeTool:
    """A tool for tests. ``ran`` has the arguments and the idempotency key of each run, in order.

    ``clause`` is its read-back; a :class:`Refuses` if it cannot make one.
    """

    spec: ToolSpec
    behaviour: Behaviour
    clock: Clock
    clause: str | Refuses | None = None
    ran: list[tuple[JsonObject, str]] = field(default_factory=list[tuple[JsonObject, str]])

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Check that only parameters of the schema are given, and all required ones."""
        properties = self.spec.parameters.get("properties")
        known = set(properties) if isinstance(properties, Mapping) else set[str]()
        required = self.spec.parameters.get("required")
        needed = {str(name) for name in required} if isinstance(required, list | tuple) else set[str]()
        problems = [
            *(
                f"{name!r} is not a parameter, got {arguments[name]!r}"
                for name in sorted(set(arguments) - known)
            ),
            *(f"{name!r} is missing" for name in sorted(needed - set(arguments))),
        ]
        if problems:
            raise BadArguments(self.spec.name, problems)
        return arguments

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Do what the behaviour says."""
        self.ran.append((arguments, context.key))
        match self.behaviour:
            case Gives(value=value, after_s=after_s, media=media):
                if after_s:
                    await self.clock.sleep(after_s)
                return ToolResult(value, media)
            case Refuses(say=say):
                raise ToolError(say)
            case Broken():
                raise RuntimeError("a bug in this tool")
            case _:
                assert_never(self.behaviour)

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """Return the given clause, or raise its error."""
        if isinstance(self.clause, Refuses):
            raise ToolError(self.clause.say)
        return self.clause


def fake_spec(
    name: str,
    doing: str,
    will: str,
    *,
    effect: Effect = "read",
    confirm: bool = False,
    acknowledge: Acknowledge = "auto",
    needs_customer: bool = True,
    timeout_s: float = 10.0,
    arguments: tuple[str, ...] = (),
    required: tuple[str, ...] = (),
    narration: str | None = None,
) -> ToolSpec:
    """Returns a declaration of a tool whose arguments are all texts."""
    return ToolSpec(
        name=name,
        description=f"Fake: {doing}.",
        parameters={
            "type": "object",
            "properties": {argument: {"type": "string"} for argument in (*arguments, *required)},
            "required": list(required),
        },
        hints={"en": Hint(doing=doing, will=will)},
        effect=effect,
        confirm=confirm,
        acknowledge=acknowledge,
        requires="verified" if needs_customer else "anonymous",
        timeout_s=timeout_s,
        narration=narration,
    )
