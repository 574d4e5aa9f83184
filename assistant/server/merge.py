"""Makes one frame of neighbouring deltas, for a reader that has fallen behind."""

from collections.abc import Iterable

from assistant.server.wire import Wire


def merge(frames: Iterable[Wire]) -> list[Wire]:
    """Join neighbouring deltas of one message, under the last one's number.

    >>> first = {"type": "message.delta", "seq": 4, "message_id": "m", "text": "Good "}
    >>> merge([first, {"type": "message.delta", "seq": 5, "message_id": "m", "text": "day"}])
    [{'type': 'message.delta', 'seq': 5, 'message_id': 'm', 'text': 'Good day'}]
    """
    merged: list[Wire] = []
    for frame in frames:
        last = merged[-1] if merged else None
        if last is not None and _continues(last, frame):
            merged[-1] = {**frame, "text": f"{last['text']}{frame['text']}"}
        else:
            merged.append(frame)
    return merged


def _continues(last: Wire, frame: Wire) -> bool:
    both_deltas = last["type"] == frame["type"] == "message.delta"
    return both_deltas and last["message_id"] == frame["message_id"]
