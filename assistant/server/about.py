"""What the door tells about the assistant behind it."""

from dataclasses import dataclass

from assistant.server.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The assistant as customers and operators meet it; the words come from ``prompts/voice.toml``.

    ``note`` is a line of fine print, such as what a demo model can do; None for none. ``model`` and ``demo``
    are for operators: the decision model's name, and whether it is the embedded one.
    """

    name: str
    greeting: str
    disclosure: str
    starters: tuple[str, ...] = ()
    note: str | None = None
    model: str = ""
    demo: bool = False

    def wire(self) -> Wire:
        """The part that customers see."""
        return {
            "name": self.name,
            "greeting": self.greeting,
            "starters": self.starters,
            "disclosure": self.disclosure,
            "note": self.note,
        }
