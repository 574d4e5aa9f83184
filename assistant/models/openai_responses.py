"""The client for OpenAI's Responses API."""

from collections.abc import Mapping
from typing import Any, Literal

import orjson

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded
from assistant.conversation.values import Json
from assistant.errors import ModelBroke
from assistant.formats.openai_responses import REASONING
from assistant.formats.registry import WireRequest
from assistant.models.http_client import DirectModel
from assistant.models.streamed_reply import Reply, Usage, error_in_stream


class ResponsesModel(DirectModel):
    """A model behind the Responses API. The base URL is "https://api.openai.com/v1" or similar."""

    def _url(self, base_url: str) -> str:
        return f"{base_url}/responses"

    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def _reply(self, request: WireRequest) -> Reply:
        return ResponseReply(request)


_Reason = Literal["stop", "tool_calls", "length", "refused"]
_INCOMPLETE: dict[str, _Reason] = {"max_output_tokens": "length", "content_filter": "refused"}


class ResponseReply(Reply):
    """Reads a response: items of reasoning, messages and calls, one after the other. Ignores other events."""

    __slots__ = ("_begun", "_calls", "_reason", "_request", "_usage")

    def __init__(self, request: WireRequest) -> None:
        super().__init__()
        self._request = request
        self._calls: dict[int, int] = {}
        """Maps a call's index in the output to its number among the calls, from 0."""
        self._begun: set[int] = set()
        """The numbers of the calls for which arguments have arrived."""
        self._reason: _Reason = "stop"
        self._usage = Usage()

    def end(self) -> StreamEnded:
        """Returns the last chunk. Raises ``ModelBroke`` if the stream ended before the response did."""
        if not self.finished:
            raise ModelBroke("the stream ended before the reply did")
        used = self._usage
        reason = "tool_calls" if self._reason == "stop" and self._calls else self._reason
        return StreamEnded(reason, used.input_tokens, used.output_tokens, used.cached_tokens)

    def _read(self, event: bytes) -> str | list[Chunk]:
        if event == b"[DONE]":
            self.done = True
            return ""
        wire: dict[str, Any] = orjson.loads(event)
        match wire["type"]:
            case "response.output_text.delta" | "response.refusal.delta":
                return str(wire["delta"])
            case "response.function_call_arguments.delta":
                return self._arguments(wire["output_index"], str(wire["delta"]))
            case "response.output_item.added":
                return self._opened(wire["output_index"], wire["item"])
            case "response.output_item.done":
                return self._closed(wire["output_index"], wire["item"])
            case "response.completed" | "response.incomplete":
                self._finish(wire["response"])
            case "response.failed":
                raise error_in_stream(wire["response"].get("error"))
            case "error":
                raise error_in_stream(wire.get("error") or wire)
            case _:
                pass
        return ""

    def _opened(self, index: int, item: Mapping[str, Any]) -> list[Chunk]:
        if item["type"] != "function_call":
            return []
        number = self._calls[index] = len(self._calls)
        named: list[Chunk] = [CallNamed(number, self._request.own_name(item["name"]), item.get("call_id"))]
        return [*named, *self._arguments(index, item.get("arguments") or "")]

    def _arguments(self, index: int, fragment: str) -> list[Chunk]:
        if not fragment:
            return []
        number = self._calls[index]
        self._begun.add(number)
        return [CallArguments(number, fragment)]

    def _closed(self, index: int, item: Mapping[str, Any]) -> list[Chunk]:
        """Returns what a complete item adds to the pieces that were sent before.

        Some servers do not send a call before it is complete, or send its arguments only then.
        """
        match item["type"]:
            case "function_call":
                opened = [] if index in self._calls else self._opened(index, item)
                late = self._calls[index] not in self._begun
                return [*opened, *(self._arguments(index, item.get("arguments") or "{}") if late else [])]
            case "reasoning" if item.get("encrypted_content"):
                # Reasoning without its encrypted content is useless: the provider stores nothing (``store``
                # is false).
                kept: dict[str, Json] = {
                    "type": REASONING,
                    "id": item["id"],
                    "summary": item.get("summary") or [],
                    "encrypted_content": item["encrypted_content"],
                }
                return [Opaque(self._request.provider, kept)]
            case _:
                return []

    def _finish(self, response: Mapping[str, Any]) -> None:
        self.finished = True
        details: dict[str, Any] = response.get("incomplete_details") or {}
        if response.get("status") == "incomplete":
            self._reason = _INCOMPLETE.get(str(details.get("reason")), "length")
        self._usage = usage(response.get("usage") or {})


def usage(told: Mapping[str, Any]) -> Usage:
    """Read ``usage``. The output tokens include reasoning.

    >>> usage({"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}).cached_tokens
    4
    """
    details: dict[str, Any] = told.get("input_tokens_details") or {}
    return Usage(
        input_tokens=told.get("input_tokens"),
        output_tokens=told.get("output_tokens"),
        cached_tokens=details.get("cached_tokens"),
    )
