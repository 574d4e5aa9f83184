"""Words that only show that somebody is listening: they interrupt nobody."""

from assistant.prompts.listening_words import ListeningWords


def is_backchannel(text: str, words: ListeningWords, *, asked: bool = False) -> bool:
    """Whether "mhm", "ok" or "I see" is all that was said. Nothing at all is no backchannel.

    ``asked``: a yes or no is being waited for. Then "ok" is an answer, and nothing is a backchannel.
    """
    return False
