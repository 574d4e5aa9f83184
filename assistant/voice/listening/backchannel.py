"""Words that only show that somebody is listening: they interrupt nobody."""

import re

from assistant.prompts.listening_words import ListeningWords

_WORD = re.compile(r"\w")


def is_backchannel(text: str, words: ListeningWords, *, asked: bool = False) -> bool:
    """Whether "mhm", "ok" or "I see" is all that was said. Nothing at all is no backchannel.

    ``asked``: a yes or no is being waited for. Then "ok" is an answer, and nothing is a backchannel. A question
    ("right?") wants an answer as well.
    """
    if asked or text.rstrip().endswith("?") or not _WORD.search(text):
        return False
    return not _WORD.search(words.backchannels.without(text))
