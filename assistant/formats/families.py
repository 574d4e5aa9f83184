"""What the models of one family accept in a request: the one table of fields that some models refuse.

A request never contains a field that its model refuses. The first row whose pattern matches the model's name
applies. Where the name does not show the family, as with a deployment's name, the option ``family`` names the
row (:class:`assistant.ports.ModelOptions`). Each row names its source, read in November 2026.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from assistant.conversation.values import Json
from assistant.errors import DeclarationError
from assistant.ports import ModelOptions

LongestReply = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The request fields that these models accept.

    Attributes:
        name: the name that an operator uses in the option ``family``.
        models: a pattern for the provider's name of the model, without a prefix up to the last slash.
        max_tokens: the name of the field for the longest reply in chat completions.
        temperature: the field may be sent.
        parallel_tool_calls: the field may be sent.
        thinks: the model thinks before it answers unless a request turns that off, so its reply needs room
            for both.
        efforts: the values of ``reasoning_effort``; empty where the field is refused.
        effort_with_tools: whether chat completions accept ``reasoning_effort`` together with tools: "any" value,
            "omitted" (only without the field), or "none" (only with the value "none").
        source: where this was read.
    """

    name: str
    models: re.Pattern[str]
    max_tokens: LongestReply = "max_tokens"
    temperature: bool = True
    parallel_tool_calls: bool = True
    thinks: bool = False
    efforts: tuple[str, ...] = ()
    effort_with_tools: Literal["any", "omitted", "none"] = "any"
    source: str


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_ALL_EFFORTS: Final = ("none", "low", "medium", "high", "xhigh", "max")

FAMILIES: Final = (
    Family(
        name="gpt-6-astra",
        models=_named(r"gpt-6(\.\d+)?-astra"),
        max_tokens="max_completion_tokens",
        temperature=False,
        thinks=True,
        efforts=_ALL_EFFORTS[1:],
        effort_with_tools="none",
        source="github.com/bolna-ai/bolna/pull/1019",
    ),
    Family(
        name="gpt-6",
        models=_named(r"gpt-(5\.[6-9]|[6-9]|1\d)(?!\d)"),
        max_tokens="max_completion_tokens",
        temperature=False,
        thinks=True,
        efforts=_ALL_EFFORTS,
        effort_with_tools="none",
        source="github.com/BerriAI/litellm/pull/39631, github.com/BerriAI/litellm/pull/34569",
    ),
    Family(
        name="gpt-5-chat",
        models=_named(r"gpt-5(\.\d)?-chat"),
        max_tokens="max_completion_tokens",
        source="github.com/BerriAI/litellm/pull/39631",
    ),
    Family(
        name="gpt-5.5",
        models=_named(r"gpt-5\.5"),
        max_tokens="max_completion_tokens",
        temperature=False,
        thinks=True,
        efforts=_ALL_EFFORTS[:-1],
        effort_with_tools="none",
        source="github.com/jeffdafoe/llm-memory-api/pull/178",
    ),
    Family(
        name="gpt-5.1",
        models=_named(r"gpt-5\.[1-4]"),
        max_tokens="max_completion_tokens",
        efforts=_ALL_EFFORTS[:-1],
        effort_with_tools="omitted",
        source="github.com/BerriAI/litellm/pull/17011, github.com/livekit/agents/pull/5088",
    ),
    Family(
        name="gpt-5",
        models=_named(r"gpt-5(?![.\d])"),
        max_tokens="max_completion_tokens",
        temperature=False,
        thinks=True,
        efforts=("minimal", "low", "medium", "high"),
        source="github.com/BerriAI/litellm/pull/17011",
    ),
    Family(
        name="o-series",
        models=_named(r"o\d(?![a-z\d])"),
        max_tokens="max_completion_tokens",
        temperature=False,
        parallel_tool_calls=False,
        thinks=True,
        efforts=("low", "medium", "high"),
        source="platform.openai.com/docs/guides/reasoning",
    ),
    Family(
        name="claude-5",
        models=_named(r"([a-z]+\.)*claude-[a-z]+-([5-9]|\d\d)(?!\d)"),
        temperature=False,
        thinks=True,
        efforts=_ALL_EFFORTS,
        source="github.com/promptfoo/promptfoo/pull/10631, github.com/CherryHQ/cherry-studio/pull/15532",
    ),
    Family(
        name="claude-opus-4-7",
        models=_named(r"([a-z]+\.)*claude-[a-z]+-4[-.][7-9]"),
        temperature=False,
        efforts=_ALL_EFFORTS,
        source="github.com/CherryHQ/cherry-studio/pull/15532",
    ),
    Family(
        name="grok-4.6",
        models=_named(r"grok-(4\.[6-9](?!\d)|[5-9])"),
        thinks=True,
        efforts=("low", "medium", "high", "xhigh"),
        source="github.com/mnfst/modelparams.dev/pull/330",
    ),
    Family(
        name="grok-4.5",
        models=_named(r"grok-4\.5"),
        thinks=True,
        efforts=("low", "medium", "high"),
        source="github.com/theopenco/llmgateway/pull/3046",
    ),
    Family(
        name="grok-4.3",
        models=_named(r"grok-4\.3"),
        thinks=True,
        efforts=("none", "low", "medium", "high"),
        source="github.com/theopenco/llmgateway/pull/3046",
    ),
    Family(
        name="grok-3-mini",
        models=_named(r"grok-3-mini"),
        thinks=True,
        efforts=("low", "high"),
        source="github.com/NousResearch/hermes-agent/pull/23435",
    ),
    Family(
        name="grok-4",
        models=_named(r"grok-4(?!.*non-reasoning)"),
        thinks=True,
        source="github.com/NousResearch/hermes-agent/pull/23435",
    ),
    Family(
        name="gemini",
        models=_named(r"gemini-(2\.5|[3-9])"),
        thinks=True,
        efforts=("none", "minimal", "low", "medium", "high"),
        source="ai.google.dev/gemini-api/docs/thinking",
    ),
    Family(
        name="thinks-in-text",
        models=_named(r"deepseek-(r\d|reasoner)|kimi-k2-thinking|qwq|magistral|.*-thinking"),
        thinks=True,
        efforts=_ALL_EFFORTS,
        source="api-docs.deepseek.com/guides/thinking_mode",
    ),
)
"""In order: a more specific pattern comes before a more general one."""

OTHERS: Final = Family(name="any", models=_named(""), efforts=_ALL_EFFORTS, source="")
"""Every model that no row matches: no field is left out of its requests."""


@cache
def family_of(model: str, named: str = "") -> Family:
    """Returns the row for a model.

    Args:
        model: the provider's own name of the model, with or without a provider before a slash.
        named: the row that an operator chose; "" for the first one that matches the model's name.

    Raises:
        DeclarationError: no row has that name.

    >>> family_of("openai/gpt-6-luna").thinks, family_of("gpt-4.1").max_tokens
    (True, 'max_tokens')
    >>> family_of("our-deployment", "gpt-5").temperature
    False
    """
    if named:
        for family in (*FAMILIES, OTHERS):
            if family.name == named:
                return family
        known = ", ".join(family.name for family in (*FAMILIES, OTHERS))
        raise DeclarationError(f"no family of models is named {named!r}; use one of: {known}")
    own = model.rpartition("/")[2].removeprefix("ft:")
    return next((family for family in FAMILIES if family.models.match(own)), OTHERS)


_LONGEST: Final = 1_024
_LONGEST_WITH_THOUGHTS: Final = 4_096
"""Thinking counts as part of a reply. With fewer tokens, small models of this kind often return no text."""


def effort_of(extra: Mapping[str, Json]) -> Json:
    """Returns the effort of thinking that an operator set, from the fields of either API, or None if it is
    not set.

    >>> effort_of({"reasoning": {"effort": "low"}}), effort_of({"reasoning_effort": "none"})
    ('low', 'none')
    """
    reasoning = extra.get("reasoning")
    return reasoning.get("effort") if isinstance(reasoning, Mapping) else extra.get("reasoning_effort")


def thinks(model: str, options: ModelOptions) -> bool:
    """Whether a model thinks before it answers, given these options."""
    effort, by_hand = effort_of(options.extra), options.extra.get("thinking")
    if effort is not None:
        return effort != "none"
    if isinstance(by_hand, Mapping):
        return by_hand.get("type") != "disabled"
    return family_of(model, options.family).thinks


def longest_reply(model: str, options: ModelOptions) -> int:
    """Returns how many tokens a reply may have, thinking included.

    >>> longest_reply("gpt-4.1", ModelOptions()), longest_reply("gpt-6-luna", ModelOptions())
    (1024, 4096)
    """
    usual = _LONGEST_WITH_THOUGHTS if thinks(model, options) else _LONGEST
    return options.room * (usual if options.max_tokens is None else options.max_tokens)


def check_effort(model: str, options: ModelOptions, where: str) -> None:
    """Refuse a value of ``reasoning_effort`` that the model's family does not accept.

    Args:
        model: the provider's own name of the model.
        options: the options of the model.
        where: the beginning of the error, such as the name of the setting.

    Raises:
        DeclarationError: the provider would refuse every request. The error says what to change.
    """
    family, effort = family_of(model, options.family), effort_of(options.extra)
    if effort is None or effort in family.efforts:
        return
    cure = f"use one of: {', '.join(family.efforts)}" if family.efforts else "leave it out"
    raise DeclarationError(
        f"{where}: {model} does not accept the effort {effort!r}; {cure}. If it is of another family than "
        f"{family.name!r}, set family"
    )
