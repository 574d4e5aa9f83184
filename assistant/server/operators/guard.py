"""Lets requests with the operators' token pass, so many a minute."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Header, HTTPException, Request

from assistant.server.operators.access import Operators, bearer
from assistant.server.rates import address


def guard(operators: Operators) -> Callable[..., None]:
    """What a router depends on: 401 without the token, 429 for who keeps guessing or asks for too much."""

    def guarded(request: Request, authorization: Annotated[str | None, Header()] = None) -> None:
        whence = address(request.client.host if request.client else None) or "here"
        if operators.knows(bearer(authorization)):
            if not operators.may_go_on(whence):
                raise HTTPException(429, "too many requests; wait a minute")
        elif operators.may_guess(whence):
            raise HTTPException(401, "not the operators' token", {"WWW-Authenticate": "Bearer"})
        else:
            raise HTTPException(429, "too many wrong tokens; wait a minute")

    return guarded
