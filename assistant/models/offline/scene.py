"""What a message is understood in: the tools there are, the day, and what has been found so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.entities import find_entities, plain
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.slots import slots_of
from assistant.models.offline.things import Shown, items_of, named_in, pointed_at


@dataclass(frozen=True, slots=True)
class Scene:
    """``shown`` is what was found, oldest first, the message's own look-ups included.

    ``looked`` names the tools that have been called for the message itself.
    """

    specs: Mapping[str, ToolSpec]
    today: date
    shown: tuple[Shown, ...]
    looked: frozenset[str]

    @property
    def loads(self) -> ToolSpec | None:
        """The tool that gives the whole of a result that is shortened, where it is on offer."""
        return next((spec for spec in self.specs.values() if spec.role == "loads"), None)

    def look_up(self, noun: str) -> ToolSpec | None:
        """The tool that lists the customer's things of a kind without being told anything."""
        return next(
            (
                spec
                for spec in self.specs.values()
                if spec.effect == "read"
                and named_in(noun, spec.name)
                and not any(slot.required for slot in slots_of(spec))
            ),
            None,
        )

    def listed(self, noun: str) -> Shown | None:
        """The latest whole list of the things of a kind; None when something has changed since."""
        for one in reversed(self.shown):
            spec = self.specs.get(one.call.tool)
            if spec is None or not one.is_of(noun):
                continue
            if spec.effect == "write":
                return None
            if not one.call.arguments:
                return one
        return None


def scene_of(exchanges: Sequence[Exchange], specs: Mapping[str, ToolSpec], today: date) -> Scene:
    """The scene that the last exchange's message is said in."""
    return Scene(
        specs=specs,
        today=today,
        shown=tuple(one for exchange in exchanges for one in _shown(exchange, specs, today)),
        looked=frozenset(one.call.tool for one in exchanges[-1].outcomes),
    )


def _shown(exchange: Exchange, specs: Mapping[str, ToolSpec], today: date) -> list[Shown]:
    text, entities = plain(exchange.said), find_entities(exchange.said, today)
    shown: list[Shown] = []
    for outcome in exchange.found:
        items = items_of(outcome.value)
        spec = specs.get(outcome.call.tool)
        newest = spec is not None and spec.sorted_by == "newest_first"
        focus = pointed_at(items, text, entities, newest_first=newest) or items
        shown.append(Shown(outcome.call, items, focus, newest))
    return shown
