"""Whether a request is Twilio's: signed with the account's token, over the address that Twilio knows us by."""

from typing import TYPE_CHECKING, Any, cast

from starlette.datastructures import QueryParams

from assistant.errors import DeclarationError

if TYPE_CHECKING:
    from twilio.request_validator import RequestValidator

HEADER = "X-Twilio-Signature"


class Signatures:
    """Checks requests and handshakes.

    Args:
        token: the account's auth token.
        url: where Twilio reaches this server, without a slash at its end: not what a proxy made of it.

    Raises ``DeclarationError`` when the package that can tell is not installed.
    """

    def __init__(self, token: str, url: str) -> None:
        self._validator = _validator(token)
        self._url = url

    def of_request(self, target: str, form: QueryParams, signature: str) -> bool:
        """Whether a POST of this form to ``target`` (path and query) is signed."""
        return self._fits(self._url + target, form, signature)

    def of_socket(self, target: str, signature: str) -> bool:
        """Whether a websocket's handshake is.

        Which address is signed has changed over time: either scheme, with a slash at the end or without.
        """
        secure = f"wss{self._url.removeprefix('https')}{target}"
        addresses = (secure, secure + "/", self._url + target, self._url + target + "/")
        return any(self._fits(address, QueryParams(), signature) for address in addresses)

    def _fits(self, address: str, form: QueryParams, signature: str) -> bool:
        # The package has no types.
        validator = cast("Any", self._validator)
        return bool(validator.validate(address, form, signature))


def _validator(token: str) -> "RequestValidator":
    try:
        from twilio.request_validator import RequestValidator
    except ImportError as error:
        raise DeclarationError(
            "ASSISTANT_PHONE_TOKEN is set, but the package that checks Twilio's signatures is not installed; "
            "pip install 'meanwhile-assistant[phone]'"
        ) from error
    return cast("Any", RequestValidator)(token)
