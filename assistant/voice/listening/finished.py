"""Whether what somebody has said so far is finished, by the end of its text."""

import re

from assistant.prompts.listening_words import ListeningWords
from assistant.prompts.word_list import plain_words
from assistant.voice.dictation import Expecting
from assistant.voice.listening.dictated import ending_of_dictation
from assistant.voice.listening.ending import Ending

_TRAILING = re.compile(r"(?:\.\.+|[…,;:–—-])$")
_MARKS = re.compile(r"[\s.,;:!?…–—]+|-(?!\w)")
_QUOTES = "\"'”’ "
_FEW_WORDS = 3


def ending_of(text: str, expecting: Expecting, words: ListeningWords) -> Ending:
    """How the text ends, as far as words and marks tell.

    A transcriber puts a full stop after anything, so the last words count before the mark does.
    """
    said = text.strip().rstrip(_QUOTES)
    plain, asks = plain_words(_MARKS.sub(" ", said)), said.endswith("?")
    if not plain:
        return "unclear"
    if words.brief.is_one(plain):
        return "finished"
    if dictation := ending_of_dictation(said, expecting, words):
        return dictation
    if _TRAILING.search(said) or words.open_ends.ends(plain) or words.openers.is_one(plain):
        return "unfinished"
    if asks:
        return "finished"
    if words.open_statements.ends(plain) or ("," not in said and words.conditions.begins(plain)):
        return "unfinished"
    # A full stop after two words is the transcriber's: "My order." And who was asked for a number and says none
    # may be looking for it.
    stops = said.endswith((".", "!")) and len(plain.split()) >= _FEW_WORDS
    return "finished" if stops and expecting == "anything" else "unclear"
