"""Takes a time out of those that were just offered: "9:30 please", after "You could come at 9 or 9:30"."""

from assistant.models.offline.correct import only_values
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Decision, Planned
from assistant.models.offline.deeds import deed_of
from assistant.models.offline.resolve import offered_time, shown_day
from assistant.models.offline.scene import Scene
from assistant.models.offline.slots import slots_of


def take_offer(message: Message, scene: Scene) -> Decision | None:
    """The one side effect that makes something on a day at a time, for an offered time and nothing else said.
    None when the message is no such choice.
    """
    said = message.entities
    if not scene.shown or not (said.times or said.places) or said.days or not only_values(message):
        return None
    last = scene.shown[-1]
    makers = [spec for spec in scene.specs.values() if "make" in deed_of(spec)]
    if len(makers) != 1:
        return None
    slots = slots_of(makers[0])
    days = {slot.name: shown_day(slot, last) for slot in slots if slot.kind == "day"}
    times = {slot.name: offered_time(slot, last, said) for slot in slots if slot.kind == "time"}
    arguments = days | times
    required = {slot.name for slot in slots if slot.required}
    if not times or None in arguments.values() or not required <= set(arguments):
        return None
    return Decision((Planned(makers[0], arguments),))
