"""HTTP tools that act with the customer's own credential: declared, sent, denied, and warned about."""

from dataclasses import replace

import pytest

from assistant.assembly.tool_warnings import tool_warnings
from assistant.conversation.customer import CustomerCredential
from assistant.errors import CredentialError
from assistant.prompts.book import shipped_book
from assistant.tools.registry import Tools
from tests.tools.http.conftest import ANA, OneTool, ReadFile, System, run

HELD = CustomerCredential(token="anas-token", claims={"plan": "gold", "seats": 2}, expires_ms=2**53)
SIGNED_IN = replace(ANA, credential=HELD)
HEAD = '[api]\nbase_url = "https://shop.example"\nauth = {bearer = "SHOP_TOKEN"}\n'
TOOL = '[tools.find]\ndescription = "Find."\nwaiting_hint = "looking"\n'


async def test_the_token_is_sent_where_it_is_written(one: OneTool, system: System) -> None:
    for auth, header, sent in (
        ('{bearer = "{customer.token}"}', "Authorization", "Bearer anas-token"),
        ('{header = {X-User = "Token {customer.token}"}}', "X-User", "Token anas-token"),
        (
            '{bearer = "SHOP_TOKEN", header = {X-User = "{customer.token}"}}',
            "Authorization",
            "Bearer s3cret-token",
        ),
    ):
        tool = one(f'path = "/me"\nauth = {auth}')
        assert (tool.spec.requires, tool.spec.credential) == ("signed_in", True)
        await run(tool, {}, SIGNED_IN)
        assert system.heard[-1].headers[header] == sent

    await run(one('path = "/me"\nauth = {query = {token = "{customer.token}"}}'), {}, SIGNED_IN)
    assert system.heard[-1].line == "GET /v1/me?token=anas-token"


async def test_a_tools_own_auth_replaces_the_files(one: OneTool, system: System) -> None:
    own = one('path = "/me"\nauth = {bearer = "{customer.token}"}', 'auth = {header = {X-Key = "SHOP_USER"}}')
    await run(own, {}, SIGNED_IN)

    assert "X-Key" not in system.heard[-1].headers
    none = one('path = "/hours"\nauth = {}', 'auth = {bearer = "SHOP_TOKEN"}')
    await run(none)
    assert "Authorization" not in system.heard[-1].headers


async def test_claims_fill_placeholders_and_a_missing_one_sends_nothing(one: OneTool, system: System) -> None:
    tool = one(
        'path = "/plans/{customer.claims.plan}"\nquery = {seats = "{customer.claims.seats}"}'
        '\nheaders = {X-Plan = "{customer.claims.plan}"}'
    )
    await run(tool, {}, SIGNED_IN)
    assert system.heard[-1].line == "GET /v1/plans/gold?seats=2"
    assert system.heard[-1].headers["X-Plan"] == "gold"

    lacking = CustomerCredential(token="anas-token", claims={"plan": "gold"}, expires_ms=2**53)
    for credential in (None, lacking):
        with pytest.raises(CredentialError):
            await run(tool, {}, replace(ANA, credential=credential))
    assert len(system.heard) == 1


async def test_without_a_token_nothing_is_sent(one: OneTool, system: System) -> None:
    tool = one('path = "/me"\nauth = {bearer = "{customer.token}"}')
    only_claims = CustomerCredential(token="", claims={"plan": "gold"}, expires_ms=2**53)

    for customer in (ANA, replace(ANA, credential=only_claims)):
        with pytest.raises(CredentialError, match="sign in again"):
            await run(tool, {}, customer)
    assert system.heard == []


async def test_a_token_that_the_system_refuses_is_reported_to_the_customer(
    one: OneTool, system: System
) -> None:
    own = one('path = "/me"\nauth = {bearer = "{customer.token}"}')
    system.answers({"message": "anas-token is unknown"}, status=401)

    with pytest.raises(CredentialError) as denied:
        await run(own, {}, SIGNED_IN)
    assert "did not accept" in denied.value.for_model


def test_contradictory_options_are_a_mistake(read: ReadFile) -> None:
    missed: list[object] = []
    for lines, problem in (
        ('path = "/me/{customer.token}"', "path has a place {customer.token}; it is a secret"),
        ('path = "/x"\nquery = {t = "{customer.token}"}', "query parameter 't' has a place {customer.token}"),
        ('path = "/x"\nheaders = {X-T = "{customer.token}"}', "header 'X-T' has a place {customer.token}"),
        ('path = "/x"\nmethod = "POST"\nbody = "{customer.token}"', "body has a place {customer.token}"),
        ('path = "/x"\nauth = {bearer = "Token {customer.token}"}', "auth.bearer should be the name of an"),
        ('path = "/x"\nauth = {barer = "A"}', "there is no key 'barer'; did you mean 'bearer'?"),
        (
            'path = "/x"\nauth = {bearer = "{customer.token}"}\nrequires = "verified"',
            "requires 'verified' does not go with what the site says of a signed-in customer",
        ),
        (
            'path = "/x/{customer.claims.plan}"\nrequires = "anonymous"',
            "requires 'anonymous' does not go with what the site says",
        ),
        ('path = "/x/{customer.claims.}"', "path has a place {customer.claims.} that nothing fills"),
    ):
        mistakes = [str(one) for one in read(HEAD + TOOL + lines).mistakes]
        if not any(problem in one for one in mistakes):
            missed.append((lines, mistakes))
    assert missed == []


def test_a_credential_that_customers_share_causes_a_warning(read: ReadFile) -> None:
    missed: list[object] = []
    for lines, warning in (
        ('path = "/me"', "every customer and every anonymous visitor would sign in with SHOP_TOKEN"),
        ('path = "/users/me/orders"\nrequires = "verified"', "every customer would sign in with SHOP_TOKEN"),
        ('path = "/orders/open"\nrequires = "signed_in"', "its request does not say which customer"),
        ('path = "/me"\nauth = {bearer = "{customer.token}"}', None),
        ('path = "/customers/{customer.id}/orders"', None),
        ('path = "/orders"\nquery = {of = "{customer.id}"}\nrequires = "signed_in"', None),
        ('path = "/hours"', None),
        ('path = "/me"\nauth = {}', None),
    ):
        (tool,) = read(HEAD + TOOL + lines).tools
        warnings = [str(one) for one in tool_warnings(Tools([tool]), shipped_book())]
        if (warning is None) != (warnings == []) or not all((warning or "") in one for one in warnings):
            missed.append((lines, warnings))
        if not all(one.startswith("shop.http.toml:4: tool 'find': ") for one in warnings):
            missed.append(warnings)
    assert missed == []
