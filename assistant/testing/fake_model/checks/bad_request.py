"""Why a request is refused."""

from typing import NoReturn


class BadRequest(Exception):
    """A provider will not take this request.

    The text is the provider's; ``status`` is mostly 400. ``param`` (the place) and ``code`` are told by
    OpenAI beside it.
    """

    def __init__(
        self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None
    ) -> None:
        self.status = status
        self.param = param
        self.code = code
        super().__init__(message)


def require(
    condition: object, message: str, *, status: int = 400, param: str | None = None, code: str | None = None
) -> None:
    """Refuse, unless the condition holds."""
    if not condition:
        refuse(message, status=status, param=param, code=code)


def refuse(message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> NoReturn:
    """Refuse."""
    raise BadRequest(message, status=status, param=param, code=code)
