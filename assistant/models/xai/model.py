"""The direct client for xAI's Grok models: chat completions, counted in a way of its own."""

from assistant.formats.registry import WireRequest
from assistant.models.http.reply import Reply
from assistant.models.openai.model import OpenAIModel
from assistant.models.openai.reply import ChatReply
from assistant.models.xai.usage import usage


class XaiModel(OpenAIModel):
    """A model behind xAI's API; the base is such as "https://api.x.ai/v1"."""

    def _reply(self, request: WireRequest) -> Reply:
        return ChatReply(request, usage)
