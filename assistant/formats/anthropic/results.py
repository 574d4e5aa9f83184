"""Results as Anthropic has them: blocks, in which what came beside the text stands, too."""

from collections.abc import Collection, Iterator, Sequence

from assistant.conversation.outcomes import Media, Standing
from assistant.conversation.values import Json, JsonObject
from assistant.formats.call_ids import CallIds
from assistant.formats.media import PICTURES, caption, media_of
from assistant.formats.reader import Reader
from assistant.formats.results import is_error, result_text

_DOCUMENT = "application/pdf"
_SEEN = PICTURES | {_DOCUMENT}


def write_result(outcome: Standing, ids: CallIds, reader: Reader) -> Json:
    """The block of one result."""
    result: dict[str, Json] = {
        "type": "tool_result",
        "tool_use_id": ids[outcome.call.id],
        "content": _content(outcome, reader.sees(_SEEN)),
    }
    if is_error(outcome):
        result["is_error"] = True
    return result


def write_media(media: Sequence[Media], reader: Reader) -> Iterator[JsonObject]:
    """The blocks of what comes with a text, as far as its reader can see it."""
    seen = reader.sees(_SEEN)
    for number, each in enumerate(media, start=1):
        if each.mime in seen:
            yield from _shown(each, number, seen)


def _content(outcome: Standing, seen: Collection[str]) -> Json:
    media = media_of(outcome)
    if not media:
        return result_text(outcome)
    shown = (block for number, each in enumerate(media, start=1) for block in _shown(each, number, seen))
    return [_text(result_text(outcome)), *shown]


def _shown(media: Media, number: int, seen: Collection[str]) -> Iterator[JsonObject]:
    """A caption, and what it is of where the model can see that."""
    yield _text(caption(media, number, seen=media.mime in seen))
    if media.mime in seen:
        kind = "document" if media.mime == _DOCUMENT else "image"
        yield {"type": kind, "source": {"type": "base64", "media_type": media.mime, "data": media.data}}


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}
