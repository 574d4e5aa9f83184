"""The widget uploads from the listed sites, and from no other."""

from collections.abc import Mapping

import pytest

from tests.server.files.conftest import FileEndpoints

SHOP, EVIL = "https://shop.example", "https://evil.example"
POST = "/v1/uploads?name=a.txt"


async def _answer(
    endpoints: FileEndpoints, method: str, path: str, **headers: str
) -> tuple[int, Mapping[str, str]]:
    data = b"Hello" if method == "POST" else None
    async with endpoints.http.request(method, path, data=data, headers=headers) as answer:
        return answer.status, answer.headers


@pytest.mark.parametrize("path", [POST, "/v1/uploads/document:id1"])
async def test_a_preflight_request_gets_the_allowed_methods(endpoints: FileEndpoints, path: str) -> None:
    asked = {"Origin": SHOP, "Access-Control-Request-Method": "POST"}

    status, headers = await _answer(endpoints, "OPTIONS", path, **asked)

    assert status == 204
    assert headers["Access-Control-Allow-Origin"] == SHOP
    assert headers["Access-Control-Allow-Methods"] == "POST, GET, DELETE"
    assert headers["Access-Control-Allow-Headers"] == "Authorization, Content-Type"
    assert headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in headers


async def test_a_listed_site_can_read_every_answer_and_refusal(endpoints: FileEndpoints) -> None:
    token = {"Authorization": f"Bearer {endpoints.token()}"}
    for path, more, expected in ((POST, token, 201), ("/v1/uploads?name=a.jpg", token, 415), (POST, {}, 401)):
        status, headers = await _answer(endpoints, "POST", path, Origin=SHOP, **more)
        assert (status, headers["Access-Control-Allow-Origin"]) == (expected, SHOP)
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["OPTIONS", "POST"])
@pytest.mark.parametrize("origin", [EVIL, "null", "https://shop.example.evil.example", ""])
async def test_any_other_site_is_refused_with_any_token(
    endpoints: FileEndpoints, method: str, origin: str
) -> None:
    status, headers = await _answer(
        endpoints, method, POST, Origin=origin, Authorization=f"Bearer {endpoints.token()}"
    )

    assert status == 403
    assert "Access-Control-Allow-Origin" not in headers
    assert endpoints.keeper.texts == []


async def test_the_servers_own_page_and_programs_may_upload(endpoints: FileEndpoints) -> None:
    token = {"Authorization": f"Bearer {endpoints.token()}"}

    assert (await _answer(endpoints, "POST", POST, **token))[0] == 201
    own = f"http://127.0.0.1:{endpoints.server.port}"
    assert (await _answer(endpoints, "POST", POST, Origin=own, **token))[0] == 201
