"""What a server says of one of its tools."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from assistant.conversation.values import Json, JsonObject


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A tool as its server describes it; strangers' text until somebody has approved it.

    ``input`` and ``output`` are JSON schemas. ``annotations`` are the server's own claims about the tool
    (``readOnlyHint`` and others): shown to whoever approves it, never believed.
    """

    name: str
    description: str = ""
    input: JsonObject = field(default_factory=dict[str, Json])
    output: JsonObject | None = None
    annotations: JsonObject = field(default_factory=dict[str, Json])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all of it: another one means that something has changed.

        >>> one = Definition(name="ping", input={"type": "object", "properties": {}})
        >>> one.fingerprint == Definition(name="ping", input={"properties": {}, "type": "object"}).fingerprint
        True
        """
        told = [self.name, self.description, self.input, self.output, self.annotations]
        return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
