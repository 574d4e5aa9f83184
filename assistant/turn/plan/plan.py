"""The calls of one decision as a graph: what each needs, and what it has to wait for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assistant.conversation.calls import Call
from assistant.tooling.references.links import Links, link
from assistant.tooling.references.reference import BadReference, Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a decision.

    ``sources``: what its arguments refer to, and the ids of the calls that are meant. ``after``: the ids of all
    the calls that must have ended before it starts, its sources among them. ``fault``: why it cannot run at all.
    """

    call: Call
    sources: Mapping[Reference, str] = field(default_factory=dict[Reference, str])
    after: frozenset[str] = frozenset()
    fault: BadReference | None = None


def plan(calls: Sequence[Call], writes: Collection[str]) -> tuple[Step, ...]:
    """Plan the calls of one decision, in the order they were decided; no step waits for itself in any circle.

    A lookup waits for what it refers to. A side effect (its id is among ``writes``) waits for every side effect
    decided before it, too; and when it refers to nothing, so that nobody can tell what it depends on, for all
    lookups but those that need its own result, or a later side effect's.
    """
    links = link(calls)
    in_order = [call.id for call in calls if call.id in writes]
    return tuple(_step(call, calls, in_order, links) for call in calls)


def _step(call: Call, calls: Sequence[Call], writes: Sequence[str], links: Links) -> Step:
    if (fault := links.faults.get(call.id)) is not None:
        return Step(call=call, fault=fault)
    sources = links.sources.get(call.id, {})
    if call.id not in writes:
        return Step(call=call, sources=sources, after=frozenset(sources.values()))
    place = writes.index(call.id)
    before, from_here = frozenset(writes[:place]), frozenset(writes[place:])
    if too_late := links.needed_by(call.id) & from_here:
        tools = sorted({repr(other.tool) for other in calls if other.id in too_late})
        return Step(call=call, fault=BadReference(_too_late(call, ", ".join(tools))))
    if sources:
        return Step(call=call, sources=sources, after=before.union(sources.values()))
    lookups = (other.id for other in calls if other.id not in writes)
    may_matter = {read for read in lookups if not links.needed_by(read) & from_here}
    return Step(call=call, after=before | may_matter)


def _too_late(call: Call, tools: str) -> str:
    return (
        f"{call.tool!r} needs the result of {tools}, which is decided after it; side effects run in the order they "
        "are decided, so that one has to come first"
    )
