"""Only Twilio is accepted: every request and every handshake is signed with the account's token."""

import pytest
from structlog.testing import capture_logs
from websockets.exceptions import InvalidStatus

from assistant.errors import DeclarationError
from assistant.server.phone import phone_context as room
from assistant.server.phone.phone_context import Signatures
from tests.server.phone.company import TOKEN, URL, Company, served
from tests.server.phone.twilio import Socket, request, signature

ROUTES = ["/v1/phone/incoming", "/v1/phone/ended?again=0", "/v1/phone/answered?call=CA1", "/v1/phone/dialled"]


@pytest.mark.parametrize("route", ROUTES)
async def test_a_request_without_twilios_signature_is_refused(company: Company, route: str) -> None:
    async with company.open() as shop:
        with capture_logs() as logs:
            answer = await request(shop, route, token="another token")
    assert answer.status_code == 403
    assert [line["event"] for line in logs] == ["refused: not signed by Twilio"]


async def test_a_handshake_without_twilios_signature_is_refused(company: Company) -> None:
    async with company.open() as shop:
        with capture_logs() as logs, pytest.raises(InvalidStatus) as refused:
            await Socket.open(shop, "wss://talk.example.com/v1/phone/relay", token="another token")
    assert refused.value.response.status_code == 403
    assert [line["event"] for line in logs] == ["refused: not signed by Twilio"]


async def test_too_many_wrong_signatures_must_wait(company: Company) -> None:
    async with company.open() as shop:
        wrong = [await request(shop, ROUTES[0], token="another token") for _ in range(12)]
        right = await request(shop, ROUTES[0], CallSid="CA1")
        handshakes: list[int] = []
        for _ in range(12):
            with pytest.raises(InvalidStatus) as refused:
                await Socket.open(shop, "wss://talk.example.com/v1/phone/relay", token="another token")
            handshakes.append(refused.value.response.status_code)

    assert [answer.status_code for answer in wrong] == [403] * 10 + [429] * 2
    assert wrong[-1].headers["Retry-After"] == "60"
    assert right.status_code == 200
    assert handshakes == [403] * 10 + [429] * 2


async def test_a_request_too_large_for_twilio_is_not_read(company: Company) -> None:
    async with company.open() as shop:
        assert (await request(shop, "/v1/phone/incoming", Long="x" * 20_000)).status_code == 413


async def test_without_a_phone_the_routes_do_not_exist(company: Company) -> None:
    from dataclasses import replace

    from assistant.server.phone.phone_context import PhoneLimits

    context = company.context((), (), via="relay", transfer=None, limits=PhoneLimits(), voice=None)
    async with served(replace(context, phone=None)) as company.server:
        assert (await request(company, "/v1/phone/incoming")).status_code == 404
        with pytest.raises(InvalidStatus) as refused:
            await Socket.open(company, "wss://talk.example.com/v1/phone/relay")
    assert refused.value.response.status_code in {403, 404}


@pytest.mark.parametrize(
    "address",
    [
        "wss://talk.example.com/v1/phone/relay",
        "wss://talk.example.com/v1/phone/relay/",
        "https://talk.example.com/v1/phone/relay",
    ],
)
def test_a_handshake_is_accepted_in_each_signed_form(address: str) -> None:
    assert Signatures(TOKEN, URL).of_socket("/v1/phone/relay", signature(address, {}))


def test_a_signature_for_another_address_is_refused() -> None:
    mine = Signatures(TOKEN, URL)
    assert not mine.of_socket("/v1/phone/relay", signature("wss://evil.example/v1/phone/relay", {}))
    assert not mine.of_socket("/v1/phone/media", signature("wss://talk.example.com/v1/phone/relay", {}))


def test_without_the_package_the_start_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "twilio.request_validator", None)
    with pytest.raises(DeclarationError, match=r"pip install 'meanwhile-assistant\[phone\]'"):
        room.Signatures(TOKEN, URL)
