"""Which operations act for the signed-in user, by their authentication and their paths."""

import tomllib
from typing import Any

from assistant.tools.http.service import is_own_path
from assistant.tools.openapi.document import Document
from assistant.tools.openapi.draft_file import draft_file

SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "Bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "jar": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "old": {"type": "apiKey", "in": "header", "name": "Authorization"},
    "session": {"type": "apiKey", "in": "header", "name": "X-Access-Token"},
    "user": {"type": "oauth2", "flows": {"authorizationCode": {}, "clientCredentials": {}}},
    "machine": {"type": "oauth2", "flows": {"clientCredentials": {}}},
    "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"},
}
OWN = {"bearer": "{customer.token}"}


def drafted(security: Any, path: str = "/orders/{number}", top: Any = None) -> dict[str, Any]:
    """The draft of one operation that is secured like this; "top" is what the whole description says."""
    operation: dict[str, Any] = {"operationId": "getIt", "summary": "Get an order"}
    if security is not None:
        operation["security"] = security
    root: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Shop"},
        "components": {"securitySchemes": SCHEMES},
        "paths": {path: {"get": operation}},
        **({"security": top} if top is not None else {}),
    }
    file = tomllib.loads(draft_file(Document(root)).text)
    assert file["tools"]["get_it"]["draft"] is True
    return {"api": file["api"].get("auth"), **file["tools"]["get_it"]}


def test_a_users_credential_is_the_customers_own() -> None:
    missed: list[object] = []
    rows: list[tuple[object, object]] = [
        ([{"bearer": []}], OWN),
        ([{"user": ["read"]}], OWN),
        ([{"oidc": []}], OWN),
        ([{"old": []}], OWN),
        ([{"session": []}], {"header": {"X-Access-Token": "{customer.token}"}}),
        ([{"jar": []}], {"header": {"Cookie": "sid={customer.token}"}}),
        ([{"key": []}, {"bearer": []}], OWN),
        ([{}, {"bearer": []}], OWN),
        ([{"bearer": [], "key": []}], {**OWN, "header": {"X-API-Key": "SHOP_X_API_KEY"}}),
    ]
    for security, expected in rows:
        tool = drafted(security)
        if (tool.get("requires"), tool.get("auth"), tool["api"]) != ("signed_in", expected, None):
            missed.append((security, tool))
    assert missed == []


def test_a_key_of_the_company_stays_shared() -> None:
    missed: list[object] = []
    rows: list[tuple[object, object]] = [
        ([{"key": []}], {"header": {"X-API-Key": "SHOP_X_API_KEY"}}),
        ([{"machine": []}], {"bearer": "SHOP_TOKEN"}),
        ([{"basic": []}], {"basic": ["SHOP_USER", "SHOP_PASSWORD"]}),
        ([], None),
    ]
    for security, expected in rows:
        tool = drafted(security)
        if (tool.get("requires"), tool.get("auth"), tool["api"]) != (None, None, expected):
            missed.append((security, tool))
    assert missed == []


def test_an_operations_own_security_has_priority_over_the_descriptions() -> None:
    assert "requires" not in drafted([{"key": []}], top=[{"bearer": []}])
    assert "requires" not in drafted([], top=[{"bearer": []}])
    assert drafted([{"bearer": []}], top=[{"key": []}])["auth"] == OWN
    assert drafted(None, top=[{"bearer": []}])["auth"] == OWN


def test_a_path_that_names_the_user_is_theirs_with_any_authentication() -> None:
    missed: list[object] = []
    rows: list[tuple[object, object]] = [
        ([{"key": []}], {"header": {"X-API-Key": "{customer.token}"}}),
        ([{"basic": []}], {"header": {"Authorization": "Basic {customer.token}"}}),
        ([], OWN),
    ]
    for security, expected in rows:
        tool = drafted(security, path="/me/orders")
        if (tool.get("requires"), tool.get("auth")) != ("signed_in", expected):
            missed.append((security, tool))
    assert missed == []


def test_paths_in_the_first_person_are_recognised() -> None:
    own = [
        "/me",
        "/v1/me",
        "/users/me",
        "/users/@me/guilds",
        "/user/self",
        "/my/orders",
        "/my-orders/{id}",
        "/myOrders",
        "/accounts/mine",
        "/whoami",
        "/oauth/userinfo",
        "/currentUser",
        "/users/current_user",
        "/api/current-customer/cards",
        "/mein/konto",
    ]
    not_own = [
        "/orders",
        "/orders/{me}",
        "/memos",
        "/method",
        "/mystery",
        "/weather/current",
        "/themes",
        "/users/{id}",
        "/selfies",
        "/ownership",
        "/homes",
        "/customers/{customer.id}",
        "/current",
        "/meals",
        "/time",
    ]

    assert [path for path in own if not is_own_path(path)] == []
    assert [path for path in not_own if is_own_path(path)] == []
