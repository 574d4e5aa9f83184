"""A recorded conversation for live runs, and a model whose answers the test sets."""

from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load_text
from assistant.replay.live_trials import Verdict, judge_trial
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import play
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import RoleModel

TWO_LOOKUPS = """\
format: 2
about: Two lookups at once.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my appointments and billing
    replies:
      - decider: {calls: [find_visits, find_balance: {of: all}]}
      - narrator: "You are booked for Tuesday and owe $5."
    results:
      - find_visits: {returns: [{day: "2026-11-24"}], after_ms: 100}
      - find_balance: {returns: {balance: "5.00"}, after_ms: 100}
    expect:
      scene: |
        Assistant: not a word of this is looked at
      hears:
        - {status: One moment.}
        - {acknowledgement: "Sure, I'll do that.", within_ms: 310}
        - {response: "You are booked for Tuesday.", text_contains: Tuesday, complete_within_ms: 5000}
        - {text: "This may be said by anybody.", interrupted: true}
      calls: [find_visits, {find_balance: {of: all}, outcome: ok}]
      overlap: [[find_visits, find_balance]]
      never: [{text_contains: cancel}]
      ended: answered
      max_silence_ms: 2000
      suppressed: {claims: 3}
tools:
  - {name: find_visits, waiting_hint: looking up your appointments}
  - {name: find_balance, waiting_hint: checking your billing, arguments: [of]}
frames:
  - [0, {"type": "anything"}]
"""


def recorded(text: str = TWO_LOOKUPS) -> Cassette:
    """The conversation."""
    return load_text(text, "a.conversation.yaml").cassette


def held(environment: ReplayEnvironment, text: str, *lines: Line) -> Verdict:
    """Held with a model that says these lines, all of them; and what came of it."""
    model = ScriptedModel(*lines, clock=VirtualClock())
    role = RoleModel(model=model)
    cassette = recorded(text)
    played = run_virtually(play(cassette, environment, models={"decider": role, "narrator": role}))
    model.assert_used_up()
    return judge_trial(cassette, played, environment)


def told(found: Verdict) -> list[tuple[int, str, str, str]]:
    """The failures: turn, check, expected, found."""
    return [(one.turn, one.check, one.expected, one.found) for one in found.failures]
