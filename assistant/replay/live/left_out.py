"""Which conversations cannot be held with a live model, because what they show is a script's doing."""

from assistant.replay.cassette import Cassette


def left_out(cassette: Cassette) -> str | None:
    """Why this one cannot; None when it can."""
    if any(reply.ends != "complete" for turn in cassette.turns for reply in turn.replies):
        return "their models fail as scripted"
    if any(turn.meanwhile for turn in cassette.turns):
        return "stops, cuts or restarts are timed in them"
    if any(turn.heard_up_to is not None for turn in cassette.turns):
        return "answers are heard up to certain words in them"
    if any(turn.at_ms is not None or turn.barge_in_ms is not None for turn in cassette.turns):
        return "messages do not wait for the answer in them"
    return None
