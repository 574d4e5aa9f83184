"""A model on loopback that places an order when a customer asks for one, and then reports it word by word.

It has no state: each answer depends on the request alone. So it can answer any server, in any order.
"""

import re
from typing import Any

from tests.support.fake_model import openai_events
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Reply, Step, Wait, streams
from tests.support.fake_model.request_checks import Received

_ANSWER = "I have seen to it, and there is nothing left for you to do; it comes by post in a few days."

_ORDER = re.compile(r"order item ([\w-]+)")


class OrderModel(FakeModelServer):
    """Use it as a context manager, like any fake model server.

    ``first_s`` is the pause before the first word, ``word_s`` the pause after each word.
    """

    first_s: float = 0.0
    word_s: float = 0.02

    def _answer(self, request: Received) -> Reply:
        messages: list[dict[str, Any]] = request.body["messages"]
        asked = [
            (place, found[-1])
            for place, message in enumerate(messages)
            if message["role"] == "user" and (found := _ORDER.findall(str(message["content"])))
        ]
        place, item = asked[-1] if asked else (len(messages), "")
        done = any(message["role"] == "tool" for message in messages[place:])
        if item and not done and request.body.get("tools"):
            order = openai_events.call(0, "place_order", {"item": item})
            return streams(order, openai_events.ending("tool_calls"))
        return streams(self._told(item), openai_events.ending())

    def _told(self, item: str) -> list[Step]:
        steps: list[Step] = [Wait(self.first_s)]
        for word in (f"Item {item}:", *_ANSWER.split()):
            steps += [*openai_events.text(f"{word} "), Wait(self.word_s)]
        return steps
