"""A hotel's own API: each guest signs in with a token of their own, and sees what is theirs."""

from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

TOKENS = {"canary-token-of-ana-7Q": "ana", "canary-token-of-ben-9X": "ben"}
_bearer = HTTPBearer()


class Reservation(BaseModel):
    number: str
    guest: str
    room: str


@dataclass
class Hotel:
    """The books of one test. ``seen`` has the Authorization header of every request, "" for none."""

    reservations: dict[str, Reservation] = field(
        default_factory=lambda: {
            "R1": Reservation(number="R1", guest="ana", room="Sea view"),
            "R2": Reservation(number="R2", guest="ben", room="Garden"),
        }
    )
    seen: list[str] = field(default_factory=list[str])


def _guest(credentials: Annotated[HTTPAuthorizationCredentials, Depends(_bearer)]) -> str:
    token = credentials.credentials
    if token not in TOKENS:
        raise HTTPException(401, f"the token {token} is unknown")
    return TOKENS[token]


Guest: TypeAlias = Annotated[str, Depends(_guest)]


def hotel_api(hotel: Hotel) -> FastAPI:
    """The API over these books. It repeats the caller's token in answers and errors, as careless systems do."""

    def note(request: Request) -> None:
        hotel.seen.append(request.headers.get("authorization", ""))

    api = FastAPI(title="Seaside Hotel", servers=[{"url": "https://api.seaside.example"}])
    app = APIRouter(dependencies=[Depends(note)])

    @app.get("/me", operation_id="getProfile", summary="Get the profile")
    async def me(guest: Guest, request: Request) -> dict[str, str]:
        return {"guest": guest, "session": request.headers["authorization"]}

    @app.get("/my/reservations", operation_id="listReservations", summary="List the reservations")
    async def mine(guest: Guest) -> list[Reservation]:
        return [one for one in hotel.reservations.values() if one.guest == guest]

    @app.delete("/reservations/{number}", operation_id="cancelReservation", status_code=204)
    async def cancel(number: str, guest: Guest) -> Response:
        if number not in hotel.reservations or hotel.reservations[number].guest != guest:
            raise HTTPException(404, "no such reservation")
        del hotel.reservations[number]
        return Response(status_code=204)

    api.include_router(app)
    return api
