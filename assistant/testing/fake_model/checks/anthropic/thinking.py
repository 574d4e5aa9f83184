"""What Anthropic refuses of a model that is to think first, and of the thoughts that it is given back."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.testing.fake_model.checks.anthropic.shape import fields, number, one_of, tagged
from assistant.testing.fake_model.checks.bad_request import require

THOUGHTS = ("thinking", "redacted_thinking")
_KINDS = ("adaptive", "between_tools", "disabled", "enabled")
_LEAST_BUDGET = 1024
_READ_MORE = (
    "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)


def check_thinking(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` for what is refused; the messages are known to be in order."""
    if "thinking" not in body:
        return
    thinking = body["thinking"]
    kind = tagged(thinking, "thinking", _KINDS)
    where = f"thinking.{kind}"
    if kind in ("disabled", "between_tools"):
        fields(thinking, where, needed=("type",))
        return
    if kind == "enabled":
        fields(thinking, where, needed=("type", "budget_tokens"), allowed=("display",))
        number(thinking["budget_tokens"], f"{where}.budget_tokens", least=_LEAST_BUDGET)
        require(
            thinking["budget_tokens"] < body["max_tokens"],
            f"`max_tokens` must be greater than `thinking.budget_tokens`. {_READ_MORE}#max-tokens-and-context-"
            "window-size-with-extended-thinking",
        )
        _check_first_block(body["messages"])
    else:
        fields(thinking, where, needed=("type",), allowed=("display",))
    if thinking.get("display") is not None:
        one_of(thinking["display"], f"{where}.display", ("summarized", "omitted"))
    _check_sampling(body)


def _check_sampling(body: Mapping[str, Any]) -> None:
    require(
        body.get("temperature", 1) == 1,
        f"`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. {_READ_MORE}",
    )
    require("top_k" not in body, f"`top_k` must be unset when thinking is enabled. {_READ_MORE}")
    require(
        body.get("top_p", 1) >= 0.95,
        f"`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled. {_READ_MORE}",
    )


def _check_first_block(messages: Sequence[Mapping[str, Any]]) -> None:
    """While results are told, the reply that they belong to must begin with what was thought before it."""
    place = len(messages) - 1
    if not _tells(messages[place], wholly=False):
        return
    while place >= 3 and _tells(messages[place - 2], wholly=True):
        place -= 2
    found = messages[place - 1]["content"][0]["type"]
    require(
        found in THOUGHTS,
        f"messages.{place - 1}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        f"`{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block "
        "(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include "
        f"thinking blocks from previous turns. To avoid this requirement, disable `thinking`. {_READ_MORE}",
    )


def _tells(message: Mapping[str, Any], *, wholly: bool) -> bool:
    """Whether a message of the user's brings results, and, ``wholly``, nothing else."""
    content = message["content"]
    if isinstance(content, str):
        return False
    results = [block["type"] == "tool_result" for block in content]
    return all(results) if wholly else any(results)
