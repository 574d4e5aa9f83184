"""What everybody but its own runner needs to know about a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.values import Effect, JsonObject

Acknowledge: TypeAlias = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A waiting hint in its two forms.

    ``doing`` stands on the chip ("looking up your appointments"), ``will`` in the acknowledgement
    ("look up your appointments").
    """

    doing: str
    will: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool's declaration, as models, prompts and clients see it.

    ``parameters`` is a JSON schema of type object, without the injected arguments.
    ``hints`` maps a locale ("en") to its two forms; a tool without a hint has none.
    ``confirm`` says that the customer must agree before it runs.
    ``narration`` is a Jinja template over ``value`` and ``arguments``: what to say when no model narrates.
    ``needs_customer`` says that it is denied to somebody who is not known.
    ``where`` is ``file:line`` of the declaration.
    """

    name: str
    description: str
    parameters: JsonObject
    hints: Mapping[str, Hint] = field(default_factory=dict[str, Hint])
    effect: Effect = "read"
    timeout_s: float = 10.0
    confirm: bool = False
    acknowledge: Acknowledge = "auto"
    narration: str | None = None
    examples: tuple[str, ...] = ()
    needs_customer: bool = False
    where: str = ""

    def hint(self, locale: str) -> Hint | None:
        """The hint in this language, else in English; None for a tool that has no words of its own.

        >>> spec = ToolSpec(name="t", description="", parameters={}, hints={"en": Hint(doing="a", will="b")})
        >>> spec.hint("en-US") == spec.hint("de") == Hint(doing="a", will="b")
        True
        """
        return self.hints.get(locale) or self.hints.get(locale[:2]) or self.hints.get("en")
