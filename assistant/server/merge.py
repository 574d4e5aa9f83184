"""Makes one frame of neighbouring ones that say more of one message, for a reader that has fallen behind."""

from collections.abc import Iterable

from assistant.server.wire import Wire


def merge(frames: Iterable[Wire]) -> list[Wire]:
    """Join neighbouring deltas of one message, under the last one's number; of how much was heard keep the last.

    >>> first = {"type": "message.delta", "seq": 4, "message_id": "m", "text": "Good "}
    >>> merge([first, {"type": "message.delta", "seq": 5, "message_id": "m", "text": "day"}])
    [{'type': 'message.delta', 'seq': 5, 'message_id': 'm', 'text': 'Good day'}]
    """
    merged: list[Wire] = []
    for frame in frames:
        last = merged[-1] if merged else None
        if last is not None and _are_both("message.delta", last, frame):
            merged[-1] = {**frame, "text": f"{last['text']}{frame['text']}"}
        elif last is not None and _are_both("message.heard", last, frame):
            merged[-1] = frame
        else:
            merged.append(frame)
    return merged


def _are_both(type_: str, last: Wire, frame: Wire) -> bool:
    return last["type"] == frame["type"] == type_ and last["message_id"] == frame["message_id"]
