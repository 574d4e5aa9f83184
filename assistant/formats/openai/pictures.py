"""Pictures that tools gave, as chat completions have them: apart from the results, which are text alone."""

from collections.abc import Collection, Iterator, Sequence

from assistant.conversation.media import Media
from assistant.conversation.outcomes import Standing
from assistant.conversation.values import Json
from assistant.conversation.views import FromCustomer
from assistant.formats.call_ids import CallIds
from assistant.formats.media import caption, data_url, introduction, media_of
from assistant.formats.names import wire_name


def pictures(outcomes: Sequence[Standing], ids: CallIds, seen: Collection[str]) -> list[Json]:
    """The parts of a message of the user's that shows what came beside these results; empty for nothing.

    Each is introduced by a line of its own, which says whose it is: the customer did not send it. ``seen`` are
    the types that are shown.
    """
    return [part for outcome in outcomes for part in _shown(outcome, ids, seen)]


def with_pictures(message: FromCustomer, seen: Collection[str]) -> Json:
    """The content of a message of the user's: its text, and what it brings of the types that are shown."""
    shown = [
        part
        for number, media in enumerate(message.media, start=1)
        if media.mime in seen
        for part in (_text(caption(media, number, seen=True)), _picture(media))
    ]
    return [_text(message.text), *shown] if shown else message.text


def _shown(outcome: Standing, ids: CallIds, seen: Collection[str]) -> Iterator[Json]:
    call = outcome.call
    for number, media in enumerate(media_of(outcome), start=1):
        if media.mime in seen:
            yield _text(introduction(number, wire_name(call.tool), ids[call.id]))
            yield _picture(media)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _picture(media: Media) -> Json:
    return {"type": "image_url", "image_url": {"url": data_url(media)}}
