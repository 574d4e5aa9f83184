"""The events of OpenAI's Responses API, as bytes."""

from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes


class Response:
    """Writes the events of one response, item by item, and numbers them like the API."""

    def __init__(self) -> None:
        self._sequence = 0
        self._output: list[Json] = []
        self._open: dict[str, Json] | None = None
        """The open item, with the content so far."""
        self._begun = False

    def text(self, piece: str) -> list[bytes]:
        """The next piece of a message."""
        events: list[bytes] = []
        if self._open is None or self._open["type"] != "message":
            events += self._next(
                {
                    "type": "message",
                    "id": f"msg_{len(self._output)}",
                    "role": "assistant",
                    "status": "in_progress",
                    "content": [],
                }
            )
            part: Json = {"type": "output_text", "text": "", "annotations": []}
            events.append(self._of_item("response.content_part.added", content_index=0, part=part))
        return [
            *events,
            self._of_item("response.output_text.delta", content_index=0, delta=piece, logprobs=[]),
        ]

    def named(self, name: str, id_: str) -> list[bytes]:
        """The events that begin a call."""
        return self._next(
            {
                "type": "function_call",
                "id": f"fc_{len(self._output)}",
                "call_id": id_,
                "name": name,
                "arguments": "",
                "status": "in_progress",
            }
        )

    def arguments(self, fragment: str) -> list[bytes]:
        """The next piece of the open call's arguments."""
        assert self._open is not None
        self._open["arguments"] = f"{self._open['arguments']}{fragment}"
        return [self._of_item("response.function_call_arguments.delta", delta=fragment)]

    def reasoning(self, item: JsonObject) -> list[bytes]:
        """A whole reasoning item."""
        opened: dict[str, Json] = {**item, "encrypted_content": None}
        begun = self._next(opened)
        self._open = dict(item)
        return [*begun, *self._close()]

    def end(self, reason: str = "stop", *, usage: tuple[int, int, int] = (100, 20, 0)) -> list[bytes]:
        """The events that end a response: whether it is complete, and the token counts (in, out, cached)."""
        incomplete = {"length": "max_output_tokens", "refused": "content_filter"}.get(reason)
        kind = "response.incomplete" if incomplete else "response.completed"
        events = self._close()
        response = self._response("incomplete" if incomplete else "completed")
        if incomplete:
            response["incomplete_details"] = {"reason": incomplete}
        response["usage"] = {
            "input_tokens": usage[0],
            "input_tokens_details": {"cached_tokens": usage[2], "cache_write_tokens": 0},
            "output_tokens": usage[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage[0] + usage[1],
        }
        return [*self._first(), *events, self._event(kind, response=response)]

    def failed(self, code: str, message: str) -> list[bytes]:
        """The event of a response that fails, with the reason."""
        response = self._response("failed")
        response["error"] = {"code": code, "message": message}
        return [*self._first(), self._event("response.failed", response=response)]

    def _response(self, status: str) -> dict[str, Json]:
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_700_000_000,
            "status": status,
            "model": "fake",
            "output": list(self._output),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def _first(self) -> list[bytes]:
        if self._begun:
            return []
        self._begun = True
        return [
            self._event(f"response.{status}", response=self._response("in_progress"))
            for status in ("created", "in_progress")
        ]

    def _next(self, item: dict[str, Json]) -> list[bytes]:
        """Close the open item, and open this one."""
        events = [*self._first(), *self._close()]
        self._open = item
        return [
            *events,
            self._event("response.output_item.added", output_index=len(self._output), item=dict(item)),
        ]

    def _close(self) -> list[bytes]:
        if self._open is None:
            return []
        item, self._open = self._open, None
        if "status" in item:
            item["status"] = "completed"
        done = self._event("response.output_item.done", output_index=len(self._output), item=item)
        self._output.append(item)
        return [done]

    def _of_item(self, kind: str, **fields: Json) -> bytes:
        assert self._open is not None
        return self._event(kind, item_id=self._open["id"], output_index=len(self._output), **fields)

    def _event(self, kind: str, **fields: Json) -> bytes:
        self._sequence += 1
        told: Json = {"type": kind, **fields, "sequence_number": self._sequence}
        return b"event: " + kind.encode() + b"\ndata: " + json_bytes(told) + b"\n\n"
