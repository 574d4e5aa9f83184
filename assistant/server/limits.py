"""How much one client may ask of the door."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The door's limits. Times are in seconds.

    What is ``per_minute`` is a visitor's, over all their sockets; an address has ``visitors_per_address`` times as
    much, for offices share one. The others are per socket.

    ``behind``: entries that a stalled reader may fall behind before it is told to come back. ``replies``:
    direct answers (errors, rejections, pongs) that may wait for it. ``replay``: the longest gap, in entries,
    that is replayed; a longer one is answered with a snapshot. ``sound_speed``: how much faster than time sound may
    come, ``sound_burst_s`` how much of it at once. ``sound_behind_bytes`` of sound may wait for a stalled reader.
    """

    frame_bytes: int = 64 * 1024
    text_chars: int = 4_000
    messages_per_minute: int = 30
    frames_per_minute: int = 600
    uploads_per_minute: int = 10
    visitors_per_address: int = 10
    behind: int = 2_000
    replies: int = 200
    replay: int = 2_000
    sound_speed: float = 1.5
    sound_burst_s: float = 6.0
    sound_behind_bytes: int = 4 * 1024 * 1024
    hello_s: float = 10.0
    close_s: float = 5.0
