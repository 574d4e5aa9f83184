"""What a call is about, in words that an answer would use."""

from collections.abc import Iterator, Mapping

from assistant.conversation.calls import Call
from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.conversation.values import Json
from assistant.replay.expect.held import Held
from assistant.replay.expect.kindred import with_kindred
from assistant.text.function_words import carries_meaning
from assistant.text.stems import stem
from assistant.text.words import content_stems, words

_EVERYDAY = frozenset(map(stem, ("get", "list", "find", "look", "check", "fetch", "show", "open", "see")))
_NO_HINTS: Mapping[str, Hint] = {}


def topic_of(call: Call, held: Held, locale: str) -> frozenset[str]:
    """The stems of what is looked up or done, in all its words; not of the looking up, which tools share."""
    spec = held.specs.get(call.tool)
    hints = spec.hints if spec is not None else _NO_HINTS
    english = [call.tool.replace("_", " ").replace(".", " "), hints.get("en", NO_HINT).doing]
    local = [hint.doing for name, hint in hints.items() if _speaks(name, locale)]
    looking = {stem(word, locale) for word in held.book.words(locale).repetition.looking}
    looking |= {stem(word) for word in held.book.words("en").repetition.looking}
    found = {one for text in english for one in content_stems(text)}
    found |= {one for text in local for one in content_stems(text, locale)}
    return with_kindred(found - looking - _EVERYDAY)


def stems_of(text: str, locale: str) -> frozenset[str]:
    """The stems of a text, as its language and as English make them: names of data are English mostly."""
    return frozenset(content_stems(text, locale)) | frozenset(content_stems(text))


def stems_in(data: Json, locale: str) -> frozenset[str]:
    """The stems of all words in a result, the names of its fields too."""
    return frozenset(
        one
        for text in _texts(data)
        for word in words(text.replace("_", " "))
        if carries_meaning(word, locale)
        for one in (stem(word, locale), stem(word))
    )


def _texts(data: Json) -> Iterator[str]:
    match data:
        case None | bool() | int() | float():
            return
        case str():
            yield data
        case Mapping():
            for key, value in data.items():
                yield str(key)
                yield from _texts(value)
        case _:
            for one in data:
                yield from _texts(one)


def _speaks(name: str, locale: str) -> bool:
    return name.partition("-")[0] == locale.partition("-")[0]
