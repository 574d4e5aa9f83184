"""A tool that stands in the cassette alone."""

from dataclasses import replace

from assistant.conversation.tool_spec import Hint
from assistant.ports import Clock
from assistant.replay.replies import Declared
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.tooling.hints import infinitive
from assistant.tooling.tool import Tool


def declared_tool(declared: Declared, clock: Clock) -> Tool:
    """A tool declared like this. What it does is the cassette's matter."""
    will = declared.will if declared.will is not None else infinitive(declared.doing)
    spec = fake_spec(
        declared.name,
        declared.doing,
        will,
        effect=declared.effect,
        confirm=declared.confirm,
        acknowledge=declared.acknowledge,
        needs_customer=declared.needs_customer,
        timeout_s=declared.timeout_s,
        arguments=declared.arguments,
        required=declared.required,
        narration=declared.narration,
    )
    hints = {locale: Hint(doing=doing, will=to_do) for locale, (doing, to_do) in declared.hints.items()}
    own = {"en": Hint(doing=declared.doing, will=will)} if declared.doing else {}
    description = declared.description or spec.description
    spec = replace(
        spec,
        hints=own | hints,
        description=description,
        requires=declared.requires or spec.requires,
        at_once=declared.at_once,
        retries=declared.retries,
        cache_s=declared.cache_s,
        idempotent=declared.idempotent,
        checked=declared.checked,
        trusted=declared.trusted,
    )
    return FakeTool(spec, Gives(None), clock)
