"""A bookshop's own API, in its own style, not written for the import."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Body, Depends, FastAPI, Form, Header, HTTPException, Query, Response, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field

TOKEN = "for the shop's own staff"

_bearer = HTTPBearer()


class Format(StrEnum):
    hardcover = "hardcover"
    paperback = "paperback"
    audio = "audio"


class Book(BaseModel):
    isbn: str
    title: str
    format: Format
    price: Decimal


class Address(BaseModel):
    street: str
    city: str
    zip: str | None = None


class Line(BaseModel):
    isbn: str
    quantity: int = Field(1, ge=1, le=20)


class NewOrder(BaseModel):
    """The items that a customer orders."""

    lines: list[Line]
    ship_to: Address
    gift_note: str | None = Field(None, max_length=80, description="Printed on the card")


class Order(BaseModel):
    id: int
    state: str
    lines: list[Line]
    ship_to: Address


class Page(BaseModel):
    entries: list[Book]
    total: int
    next_cursor: str | None = None


class Review(BaseModel):
    stars: Annotated[int, Field(ge=1, le=5)]
    text: str = ""
    replies: list["Review"] = Field(default_factory=list)


class Shop:
    """The shelves and the orders of one test."""

    def __init__(self) -> None:
        self.books = {
            "111": Book(isbn="111", title="Tides", format=Format.hardcover, price=Decimal("24.00")),
            "222": Book(isbn="222", title="Tides", format=Format.audio, price=Decimal("9.50")),
        }
        self.orders: dict[int, Order] = {}
        self.keys: dict[str, int] = {}
        self.reviews: list[Review] = []
        self.subscribed: list[str] = []


def _allowed(credentials: Annotated[HTTPAuthorizationCredentials, Depends(_bearer)]) -> None:
    if credentials.credentials != TOKEN:
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, "unknown token")


def bookshop(shop: Shop) -> FastAPI:
    """The API, on these shelves."""
    app = FastAPI(title="Paper Moon Books", version="7", servers=[{"url": "https://api.papermoon.example"}])
    app.include_router(_books(shop))
    app.include_router(_orders(shop), dependencies=[Depends(_allowed)])

    @app.get("/ping", include_in_schema=True)
    async def ping() -> str:
        return "pong"

    @app.post("/newsletter")
    async def subscribe_newsletter(email: Annotated[str, Form()]) -> dict[str, str]:
        """Subscribes an address to the newsletter"""
        shop.subscribed.append(email)
        return {"subscribed": email}

    return app


def _books(shop: Shop) -> APIRouter:
    books = APIRouter(prefix="/books", tags=["books"])

    @books.get("", summary="Search the catalogue")
    async def search_catalogue(
        q: Annotated[str, Query(description="words of the title")],
        binding: Annotated[
            list[Format] | None, Query(alias="format", description="only these bindings")
        ] = None,
        published_after: date | None = None,
        cursor: str | None = None,
        x_trace: Annotated[str | None, Header()] = None,
    ) -> Page:
        found = [
            book
            for book in shop.books.values()
            if q.lower() in book.title.lower() and (not binding or book.format in binding)
        ]
        return Page(entries=found, total=len(found))

    @books.get("/{isbn}", responses={404: {"description": "No such book"}})
    async def read_book(isbn: str) -> Book:
        """One book"""
        if isbn not in shop.books:
            raise HTTPException(404, f"no book {isbn}")
        return shop.books[isbn]

    @books.post("/{isbn}/reviews", status_code=201)
    async def leave_review(isbn: str, review: Review) -> Review:
        """Publishes a reader's review of a book."""
        shop.reviews.append(review)
        return review

    return books


def _orders(shop: Shop) -> APIRouter:
    orders = APIRouter(prefix="/v2", tags=["orders"])

    @orders.post("/customers/{customer_id}/orders", status_code=201, operation_id="placeOrder")
    async def place(customer_id: str, order: NewOrder, idempotency_key: Annotated[str, Header()]) -> Order:
        number = shop.keys.setdefault(idempotency_key, 1000 + len(shop.keys))
        placed = Order(id=number, state=f"for {customer_id}", lines=order.lines, ship_to=order.ship_to)
        return shop.orders.setdefault(number, placed)

    @orders.get("/customers/{customer_id}/orders", operation_id="listOrders")
    async def mine(customer_id: str, limit: int = 10) -> list[Order]:
        return [order for order in shop.orders.values() if order.state == f"for {customer_id}"][:limit]

    @orders.patch("/orders/{order_id}/address", operation_id="change_order_address")
    async def move(order_id: int, to: Annotated[Address, Body(embed=True)]) -> Order:
        if order_id not in shop.orders:
            raise HTTPException(404, "unknown order")
        shop.orders[order_id].ship_to = to
        return shop.orders[order_id]

    @orders.delete("/orders/{order_id}", status_code=204, responses={409: {"description": "Already shipped"}})
    async def cancel_order(order_id: int) -> Response:
        """Cancels an order that has not been shipped"""
        if shop.orders[order_id].state == "shipped":
            raise HTTPException(409, {"code": "SHIPPED", "message": "parcel has left the house"})
        del shop.orders[order_id]
        return Response(status_code=204)

    return orders
