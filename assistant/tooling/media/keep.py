"""Makes of a tool's pictures and files what the log keeps; one that is unfit costs nobody the others."""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from assistant.conversation.media import Media
from assistant.ports import Clock
from assistant.tooling.media.transform import LeftOut, Transform
from assistant.tooling.running.attempts import Raised, caught
from assistant.tooling.running.call_through import call_through
from assistant.tooling.running.within import within

log = structlog.get_logger(__name__)

MOST_DATA = 6_000_000
"""So many characters of base64 are kept of one call's media, when they have been transformed."""

TRANSFORM_S = 10.0
"""So long each may take to be transformed."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a call's media, in its order, and a clause for each that is not."""

    media: tuple[Media, ...] = ()
    left_out: tuple[str, ...] = ()


async def keep(
    given: Sequence[Media], transform: Transform | None, clock: Clock, *, tool: str, key: str
) -> Kept:
    """Check and transform each. Raises nothing but ``CancelledError``; our log has what was left out, and why."""
    kept: list[Media] = []
    left_out: list[str] = []
    for place, media in enumerate(given, start=1):
        shown = media.name or f"{media.mime} {place}"
        try:
            changed = await _changed(media, transform, clock)
            kept += _fitting(changed, MOST_DATA - sum(len(one.data) for one in kept))
        except LeftOut as error:
            log.warning("media left out", tool=tool, call=key, media=shown, why=str(error))
            left_out.append(f"{shown}: {error}")
    return Kept(tuple(kept), tuple(left_out))


def _fitting(media: Media | None, left: int) -> tuple[Media, ...]:
    """The media, if there is room for them. What a company's own transform took away, nobody need hear of."""
    if media is None:
        return ()
    if len(media.data) > left:
        beside = "" if left == MOST_DATA else f", of which the others leave {left}"
        told = (
            f"it has {len(media.data)} characters of base64; at most {MOST_DATA} are kept of a call{beside}"
        )
        raise LeftOut(told)
    return (media,)


async def _changed(media: Media, transform: Transform | None, clock: Clock) -> Media | None:
    """The media as they are kept. Raises ``LeftOut``."""
    work = caught(_checked_twice(media, transform))
    try:
        came = await within(TRANSFORM_S, work, clock, too_late=lambda _: None)
    except TimeoutError as error:
        raise LeftOut(f"it was not transformed within {TRANSFORM_S:g} s") from error
    if not isinstance(came, Raised):
        return came
    if isinstance(came.error, LeftOut):
        raise came.error
    log.error("a transform of media raised", exc_info=came.error)
    raise LeftOut(f"its transform raised {type(came.error).__name__}") from came.error


async def _checked_twice(media: Media, transform: Transform | None) -> Media | None:
    """Before the transform, which may rely on it, and what came of it. Large ones take a while: in a thread."""
    await call_through(partial(_check, media), {})
    changed = media if transform is None else await transform(media)
    if changed is not None and changed is not media:
        await call_through(partial(_check, changed), {})
    return changed


def _check(media: Media) -> None:
    try:
        empty = not b64decode(media.data, validate=True)
    except ValueError as error:
        raise LeftOut(f"its data are no base64 ({error}); Media.of(...) makes them of bytes") from error
    if empty:
        raise LeftOut("there is nothing in it")
