"""What is left of entries that have grown old: models' replies lose their words, calls their full results."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import CallEnded, Entry, ModelChunks
from assistant.conversation.snapshots import as_remembered, snapshot_of

Aging: TypeAlias = Literal["chunks", "results"]
Thin: TypeAlias = Callable[[str, str, Entry], Entry]
"""The smaller entry, of a conversation's id, a turn's id and the entry; the very same where nothing is lost."""


def without_words(conversation: str, turn_id: str, entry: Entry) -> Entry:  # noqa: ARG001 - as all that thin out
    """A reply without its words; what it cost is kept. What was shown of it stands in entries of its own."""
    if not isinstance(entry, ModelChunks):
        return entry
    ends = tuple(timed for timed in entry.chunks if isinstance(timed[1], StreamEnded))
    return entry if len(ends) == len(entry.chunks) else replace(entry, chunks=ends)


def without_result(conversation: str, turn_id: str, entry: Entry) -> Entry:
    """A call's end with what its rule-made snapshot holds in place of the full result."""
    if not isinstance(entry, CallEnded):
        return entry
    left = as_remembered(entry.outcome, snapshot_of(entry.outcome, conversation, turn_id))
    return entry if left is entry.outcome else replace(entry, outcome=left)


THIN: Mapping[Aging, tuple[type[Entry], Thin]] = {
    "chunks": (ModelChunks, without_words),
    "results": (CallEnded, without_result),
}
