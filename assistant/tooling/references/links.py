"""Which call of a decision needs the result of which other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.conversation.calls import Call
from assistant.formats.tools import wire_name
from assistant.tooling.references.reference import BadReference, Reference, references_in, refers


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The references of a decision's calls, by call id.

    ``sources``: what each call refers to, and the call that it means; calls without references have none.
    ``faults``: the calls that cannot run because of what they refer to.
    """

    sources: Mapping[str, Mapping[Reference, str]]
    faults: Mapping[str, BadReference]

    def needed_by(self, call_id: str) -> frozenset[str]:
        """The calls whose results it needs, and those that these need, and so on; itself, in a circle."""
        found: set[str] = set()
        left = [call_id]
        while left:
            for source in self.sources.get(left.pop(), {}).values():
                if source not in found:
                    found.add(source)
                    left.append(source)
        return frozenset(found)


def link(calls: Sequence[Call]) -> Links:
    """Link the calls of one decision, in the order they were decided.

    A fault is one call's alone: an unknown name, a number too high, two calls that could be meant, itself, or a
    circle, of which every member has the fault.
    """
    sources: dict[str, Mapping[Reference, str]] = {}
    faults: dict[str, BadReference] = {}
    referring = [call for call in calls if refers(call.arguments)]
    by_name = _by_name(calls if referring else ())
    for call in referring:
        try:
            if meant := {one: _meant(one, call, by_name).id for one in references_in(call.arguments)}:
                sources[call.id] = meant
        except BadReference as bad:
            faults[call.id] = bad
    links = Links(sources=sources, faults=faults)
    circle = [call for call in _unordered(calls, sources) if call.id in links.needed_by(call.id)]
    for call in circle:
        others = ", ".join(sorted({repr(other.tool) for other in circle}))
        faults[call.id] = BadReference(
            f"{call.tool!r} needs its own result: {others} wait for one another. Make one of these calls without "
            "a reference"
        )
    return links


def _by_name(calls: Sequence[Call]) -> Mapping[str, Sequence[Call]]:
    """The calls of each tool, by its name and by the name that models see."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        for name in {call.tool, wire_name(call.tool)}:
            found.setdefault(name, []).append(call)
    return found


def _unordered(calls: Sequence[Call], sources: Mapping[str, Mapping[Reference, str]]) -> Sequence[Call]:
    """The calls that no order brings after all their sources: those in circles, and those that need one."""
    left = {call.id: set(sources[call.id].values()) for call in calls if call.id in sources}
    while ready := [id_ for id_, needs in left.items() if needs.isdisjoint(left)]:
        for id_ in ready:
            del left[id_]
    return [call for call in calls if call.id in left]


def _meant(reference: Reference, by: Call, by_name: Mapping[str, Sequence[Call]]) -> Call:
    same = by_name.get(reference.tool, ())
    if not same:
        called = sorted({call.tool for calls in by_name.values() for call in calls})
        raise BadReference(
            f"{reference.tool!r} is not called in this decision. Called are: {', '.join(called)}. A result that "
            "you have seen already is written out, as the value itself"
        )
    if reference.number is not None:
        return _numbered(reference, reference.number, by, same)
    others = [call for call in same if call is not by]
    if not others:
        raise BadReference(f"{by.tool!r} refers to its own result")
    if len(others) > 1:
        numbers = " or ".join(f'"{reference.tool}#{n}"' for n, call in enumerate(same, 1) if call is not by)
        raise BadReference(
            f"{reference.tool!r} is called {len(same)} times in this decision; write {numbers}"
        )
    return others[0]


def _numbered(reference: Reference, number: int, by: Call, same: Sequence[Call]) -> Call:
    if not 1 <= number <= len(same):
        raise BadReference(
            f"there is no {str(reference)!r}: {reference.tool!r} is called "
            f"{'once' if len(same) == 1 else f'{len(same)} times'} in this decision, counted from 1"
        )
    meant = same[number - 1]
    if meant is by:
        raise BadReference(f"{str(reference)!r} refers to its own result")
    return meant
