"""Weighs an answer as if the customer had heard it in its turn: what it repeats, and what nobody has given."""

from dataclasses import replace

from assistant.conversation.turn_state import SaidMessage
from assistant.replay.checks.complaint import Complaint
from assistant.replay.checks.response_checks import grounded, no_repetition
from assistant.replay.checks.transcript import Held, PlayedMessage, played_turns
from assistant.replay.player.stage import Stage
from assistant.replay.tryout.compared import Compared
from assistant.replay.tryout.given import Given


def weigh(text: str, given: Given, one: Compared, stage: Stage) -> list[Complaint]:
    """What a replay would complain of if ``text`` had been the response at that moment. Pure."""
    turns = played_turns(one.played)
    turn = next(turn for turn in turns if turn.number == given.turn)
    said = SaidMessage(id="tried", round=given.round, text=text, kind="response", own_words=True)
    told = [message for message in turn.messages if message.said.kind != "response"]
    before = [message for message in told if message.said.round < given.round]
    turn = replace(turn, messages=(*before, PlayedMessage(said=said, began=None, ended=None)))
    specs = {spec.name: spec for spec in stage.tools.specs}
    held = Held(cassette=one.cassette, played=one.played, turns=turns, book=stage.book, specs=specs)
    return [*no_repetition(held, turn), *grounded(held, turn)]
