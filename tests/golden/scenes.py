"""Every conversation of the golden record, by name."""

from collections.abc import Callable, Mapping
from functools import partial

from tests.golden.calls import PHONED, SPOKEN, play_phoned, play_spoken
from tests.golden.chats import cassettes, chats, play_cassette, play_chat
from tests.golden.options import OPTIONS, play_with
from tests.golden.record import Record
from tests.golden.wires import WIRES


def scenes() -> Mapping[str, Callable[[], Record]]:
    """What plays each: ``cassette/...``, ``chat/WIRE/...``, ``voice/...``, ``phone/...`` and ``options/...``."""
    found: dict[str, Callable[[], Record]] = {}
    for name, path in cassettes().items():
        found[f"cassette/{name}"] = partial(play_cassette, path)
    for wire in WIRES:
        for name, path in chats().items():
            found[f"chat/{wire}/{name}"] = partial(play_chat, path, wire)
    for name, spoken in SPOKEN.items():
        found[f"voice/{name}"] = partial(play_spoken, spoken)
    for name, phoned in PHONED.items():
        found[f"phone/{name}"] = partial(play_phoned, phoned)
    for name, options in OPTIONS.items():
        found[f"options/{name}"] = partial(play_with, options)
    return found
