"""The direct client for OpenAI's chat completions, and for every server that speaks them."""

from collections.abc import Mapping

from assistant.formats.registry import WireRequest
from assistant.models.http.model import DirectModel
from assistant.models.http.reply import Reply
from assistant.models.openai.reply import ChatReply


class OpenAIModel(DirectModel):
    """A model behind chat completions; the base is such as "https://api.openai.com/v1"."""

    def _url(self, base_url: str) -> str:
        return f"{base_url}/chat/completions"

    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def _reply(self, request: WireRequest) -> Reply:
        return ChatReply(request)
