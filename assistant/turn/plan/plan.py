"""The calls of one decision as a graph: what each needs, and what it has to wait for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assistant.conversation.calls import Call
from assistant.tooling.references import BadReference, Reference, link


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a decision.

    ``sources``: what its arguments refer to, and the ids of the calls that are meant. ``after``: the ids of the
    calls that must have ended before it starts, its sources among them. ``fault``: why it cannot run at all.
    """

    call: Call
    sources: Mapping[Reference, str] = field(default_factory=dict[Reference, str])
    after: frozenset[str] = frozenset()
    fault: BadReference | None = None


def plan(calls: Sequence[Call], writes: Collection[str]) -> tuple[Step, ...]:
    """Plan the calls of one decision, in the order they were decided; no step waits for itself in any circle.

    A lookup waits for what it refers to. A side effect (its id is among ``writes``) waits for the side effect
    decided before it, too; and when it refers to nothing, so that nobody can tell what it depends on, for all
    lookups but those that need its own result, or a later side effect's.
    """
    links = link(calls)
    in_order = [call.id for call in calls if call.id in writes]
    lookups = (
        {call.id: links.needed_by(call.id) for call in calls if call.id not in writes} if in_order else {}
    )
    before = frozenset[str]()
    steps: list[Step] = []
    for call in calls:
        sources = links.sources.get(call.id, {})
        fault = links.faults.get(call.id)
        if fault is not None:
            step = Step(call=call, fault=fault)
        elif call.id not in writes:
            step = Step(call=call, sources=sources, after=frozenset(sources.values()))
        elif too_late := links.needed_by(call.id).intersection(in_order[in_order.index(call.id) :]):
            step = Step(call=call, fault=_too_late(call, calls, too_late))
        else:
            from_here = in_order[in_order.index(call.id) :]
            may_matter = (id_ for id_, needs in lookups.items() if not needs.intersection(from_here))
            step = Step(call=call, sources=sources, after=before.union(sources.values() or may_matter))
            before = frozenset((call.id,))
        steps.append(step)
    return tuple(steps)


def _too_late(call: Call, calls: Sequence[Call], needed: Collection[str]) -> BadReference:
    tools = ", ".join(sorted({repr(other.tool) for other in calls if other.id in needed}))
    return BadReference(
        f"{call.tool!r} needs the result of {tools}, which is decided after it; side effects run in the order they "
        "are decided, so that one has to come first"
    )
