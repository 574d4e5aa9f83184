"""What models answer and tools bring, in a conversation that is written in Python."""

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.conversation.entries import ModelRole
from assistant.conversation.values import Json, JsonObject
from assistant.replay.replies import Called, Ending, Reply, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A reply. ``role`` None: the decider's where it is the first of its turn, else the narrator's.

    After a yes nothing is decided any more: then it is the narrator's too.
    """

    text: str = ""
    calls: tuple[Called, ...] = ()
    first_ms: int = 0
    each_ms: int = 0
    ends: Ending = "complete"
    role: ModelRole | None = None

    def reply(self, *, first: bool) -> Reply:
        """As it stands in a cassette; ``first``: it is what the turn's decision comes from."""
        role: ModelRole = self.role or ("decider" if first else "narrator")
        return Reply(
            role=role,
            says=self.text,
            calls=self.calls,
            first_ms=self.first_ms,
            each_ms=self.each_ms,
            ends=self.ends,
        )


def says(
    text: str,
    *,
    first_ms: int = 0,
    each_ms: int = 0,
    ends: Ending = "complete",
    role: ModelRole | None = None,
) -> Line:
    """An answer in words, the first after ``first_ms``, the others ``each_ms`` apart."""
    return Line(text=text, first_ms=first_ms, each_ms=each_ms, ends=ends, role=role)


def calls(
    *tools: str | tuple[str, JsonObject],
    text: str = "",
    first_ms: int = 0,
    each_ms: int = 0,
    ends: Ending = "complete",
    role: ModelRole | None = None,
) -> Line:
    """Tool calls, each a name or a name with its arguments; before them maybe some ``text``."""
    return Line(text=text, calls=called(*tools), first_ms=first_ms, each_ms=each_ms, ends=ends, role=role)


def called(*tools: str | tuple[str, JsonObject]) -> tuple[Called, ...]:
    """Calls, each a tool's name or its name with arguments."""
    return tuple(
        Called(tool=tool) if isinstance(tool, str) else Called(tool=tool[0], arguments=tool[1])
        for tool in tools
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Brings:
    """What a run of a tool brings; which tool, its place says."""

    fields: Mapping[str, Json]

    def run(self, tool: str) -> Run:
        """As it stands in a cassette."""
        return Run.model_validate({"tool": tool, **self.fields})


def gives(value: Json, *, after_ms: int = 0) -> Brings:
    """The tool works, after so long."""
    return Brings(fields={"gives": value, "after_ms": after_ms})


def refuses(clause: str, *, for_model: str | None = None, after_ms: int = 0) -> Brings:
    """The tool says why it cannot, in a clause that the customer may hear."""
    return Brings(fields={"refuses": clause, "for_model": for_model, "after_ms": after_ms})


def breaks(why: str = "a bug", *, after_ms: int = 0) -> Brings:
    """The tool has a bug."""
    return Brings(fields={"breaks": why, "after_ms": after_ms})


def hangs() -> Brings:
    """The tool does not answer until its time is up."""
    return Brings(fields={"hangs": True})


def asks(clause: str) -> Brings:
    """What the customer is asked about before the tool may run: "cancel your visit"."""
    return Brings(fields={"clause": clause})
