"""A tool's parameters: what a model is told of them, and how its arguments become the function's values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments
from assistant.tooling.context import ToolContext
from assistant.tooling.declare.injected import Source

_SHOWN = 80
_WORDED = {"missing": "is missing", "extra_forbidden": "is not one of the tool's parameters"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What one function takes.

    ``model`` validates arguments; ``names`` maps its fields to the function's parameters, in their order.
    ``injected`` maps a parameter to where its value comes from.
    """

    schema: JsonObject
    model: type[BaseModel]
    names: Mapping[str, str]
    injected: Mapping[str, Source]

    @property
    def needs_customer(self) -> bool:
        """Whether the function asks who the customer is."""
        return "customer" in self.injected.values()

    def canonical(self, tool: str, arguments: JsonObject) -> JsonObject:
        """The arguments with defaults filled in and each value in its one JSON form."""
        filled = self._filled(tool, arguments)
        return cast("JsonObject", filled.model_dump(mode="json", by_alias=True))

    def values(self, tool: str, arguments: JsonObject) -> dict[str, object]:
        """The function's own values, by parameter, without the injected ones."""
        filled = self._filled(tool, arguments)
        return {name: getattr(filled, field) for field, name in self.names.items()}

    def inject(self, customer: Customer, context: ToolContext) -> dict[str, object]:
        """The values of the injected parameters."""
        return {name: customer if source == "customer" else context for name, source in self.injected.items()}

    def _filled(self, tool: str, arguments: JsonObject) -> BaseModel:
        try:
            return self.model.model_validate(dict(arguments))
        except ValidationError as error:
            raise BadArguments(tool, _problems(error.errors(include_url=False))) from error


def _problems(errors: list[ErrorDetails]) -> list[str]:
    """One line for each argument: a value that fits none of several types is one problem, not several."""
    first: dict[str, str] = {}
    for error in errors:
        argument, *inside = map(str, error["loc"])
        first.setdefault(argument, ".".join((argument, *inside)) + f" {_fault(error)}")
    return list(first.values())


def _fault(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return _WORDED["missing"]
    fault = _WORDED.get(error["type"]) or f"does not fit: {error['msg']}"
    return f"{fault} (given: {_shown(error['input'])})"


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
