"""The direct client for Anthropic's messages."""

from collections.abc import Mapping

from assistant.formats.registry import WireRequest
from assistant.models.anthropic.reply import MessageReply
from assistant.models.http.model import DirectModel
from assistant.models.http.reply import Reply

_VERSION = "2023-06-01"  # of the API; the only one that streams in today's shape


class AnthropicModel(DirectModel):
    """A model behind Anthropic's API; the base is such as "https://api.anthropic.com", with or without "/v1"."""

    def _url(self, base_url: str) -> str:
        return f"{base_url.removesuffix('/v1')}/v1/messages"

    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        key = {"x-api-key": api_key} if api_key else {}
        return {"anthropic-version": _VERSION, **key}

    def _reply(self, request: WireRequest) -> Reply:
        return MessageReply(request)
