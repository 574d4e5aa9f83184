"""A tool as it is being drafted: its keys, and beside each what whoever reviews it must know."""

from dataclasses import dataclass, field

from assistant.conversation.values import Json


@dataclass(slots=True)
class Draft:
    """One section of a file of HTTP tools. ``about`` is where it comes from: "GET /orders/{id}".

    ``remarks`` are lines of comment by the key above which they stand; those under "" stand at the top.
    ``params`` are the arguments, in order, each with its keys.
    """

    name: str
    about: str
    keys: dict[str, Json] = field(default_factory=dict[str, Json])
    params: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]])
    remarks: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def review(self, key: str, what: str) -> None:
        """Ask whoever reviews it to look at a key."""
        self._remark(key, f"review: {what}")

    def left_out(self, what: str) -> None:
        """Tell what the draft does not have although the description does."""
        self._remark("", f"left out: {what}")

    def note(self, key: str, what: str) -> None:
        """Say something that helps."""
        self._remark(key, what)

    @property
    def section(self) -> dict[str, Json]:
        """The section as a reader of the file will find it."""
        return {**self.keys, **({"params": dict(self.params)} if self.params else {})}

    def _remark(self, key: str, line: str) -> None:
        lines = self.remarks.setdefault(key, [])
        if line not in lines:
            lines.append(line)
