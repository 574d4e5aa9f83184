"""``withheld``: how many sentences each guard keeps back."""

from collections.abc import Iterator

from assistant.conversation.entries import Withheld
from assistant.replay.complaint import Complaint
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import quoted


def withheld(part: Part) -> Iterator[Complaint]:
    """Complain of each guard that kept back more sentences or fewer; one that is not named may do as it must."""
    began_ms = part.held.played.began_ms
    logged = [one for turn in part.turns for one in turn.entries]
    for guard, wanted in (part.expect.withheld or {}).items():
        kept = [
            (one.entry.text, one.at_ms - began_ms, one.seq)
            for one in logged
            if isinstance(one.entry, Withheld) and one.entry.guard == guard
        ]
        if len(kept) != wanted:
            texts = "".join(f" {quoted(text)}" for text, _, _ in kept)
            found = f"{len(kept)}{':' if kept else ''}{texts}"
            _, at_ms, seq = kept[-1] if kept else ("", None, None)
            yield part.complaint("withheld", guard, expected=str(wanted), found=found, at_ms=at_ms, seq=seq)
