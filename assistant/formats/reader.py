"""Who is going to read a request: what of a turn can be given to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.values import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Reader:
    """The model behind a request.

    ``images``: it can see. ``provider`` is the name under which its opaque fields are kept, and it is given those
    alone; "" for one that is given none.
    """

    images: bool = True
    provider: str = ""

    def sees(self, pictures: frozenset[str]) -> frozenset[str]:
        """Which of the types that its provider takes it can be shown."""
        return pictures if self.images else frozenset()

    def own(self, opaque: Sequence[Opaque]) -> Iterator[JsonObject]:
        """What it wrote itself of what stands beside a message's calls, in order."""
        for one in opaque:
            if one.provider == self.provider and self.provider and isinstance(one.value, Mapping):
                yield one.value

    def own_of(self, call: Call) -> JsonObject:
        """What it wrote itself of what is kept with a call; empty for nothing."""
        value: Json = call.opaque.get(self.provider) if call.opaque and self.provider else None
        return value if isinstance(value, Mapping) else {}
