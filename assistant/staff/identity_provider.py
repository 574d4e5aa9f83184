"""Asks the company's identity provider who a person is, with OpenID Connect: authorization code with PKCE.

The provider's addresses and keys are read when they are first needed, and kept for a while. Nothing that it sends
is believed before it is checked, and each answer has a limit of time and size.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import orjson

from assistant.conversation.values import Json, JsonObject
from assistant.ports import Clock
from assistant.staff.identity import Claims, IdentityRules
from assistant.staff.openid import (
    Expected,
    IdentityRefused,
    ProviderClient,
    ProviderError,
    SignInRequest,
    UnknownKey,
    authorization_address,
    checked_claims,
    read_keys,
    token_request,
)

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

_ANSWER_S = 5.0
_LONGEST_ANSWER = 512 * 1024
_KEEP_S = 3600.0
"""Seconds for which addresses and keys are kept."""
_KEYS_AGAIN_S = 30.0
"""A token with an unknown key makes us read the keys again, but not more often than after this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderMetadata:
    """What the provider publishes about itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    secret_in_body: bool
    names_itself: bool
    challenges: Collection[str] | None


class IdentityProvider:
    """The provider of one tenant.

    Args:
        client: the console, as the provider knows it.
        rules: what the claims mean.
        clock: what times are measured by.
    """

    def __init__(self, client: ProviderClient, rules: IdentityRules, clock: Clock) -> None:
        self.client, self.rules, self._clock = client, rules, clock
        self._metadata: tuple[float, ProviderMetadata] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def metadata(self) -> ProviderMetadata:
        """The provider's addresses. Raises ``ProviderError``."""
        if self._metadata is None or self._clock.monotonic() >= self._metadata[0] + _KEEP_S:
            address = f"{self.client.issuer.rstrip('/')}/.well-known/openid-configuration"
            read = _read_metadata(self.client.issuer, await self._ask(address))
            self._metadata = self._clock.monotonic(), read
        return self._metadata[1]

    async def keys(self, *, older_than_s: float = _KEEP_S) -> "KeySet":
        """The keys with which the provider signs, read again if they are older. Raises ``ProviderError``."""
        if self._keys is None or self._clock.monotonic() >= self._keys[0] + older_than_s:
            address = (await self.metadata()).jwks_uri
            self._keys = self._clock.monotonic(), read_keys(await self._ask(address))
        return self._keys[1]

    async def authorization_address(self, request: SignInRequest) -> str:
        """Where the person's browser goes to sign in. Raises ``ProviderError``."""
        endpoint = (await self.metadata()).authorization_endpoint
        return authorization_address(endpoint, self.client, request)

    async def redeem(self, code: str, issuer: str | None, request: SignInRequest) -> Claims:
        """What the provider says about the person who came back with ``code``.

        Args:
            code: the authorization code.
            issuer: who sent the person back, if the provider says so (RFC 9207).
            request: with what the person was sent there.

        Raises:
            ProviderError: the provider does not answer as it should.
            IdentityRefused: the code or the token is not valid for this sign-in.
        """
        metadata = await self.metadata()
        if (issuer is not None or metadata.names_itself) and issuer != metadata.issuer:
            raise IdentityRefused(
                f"the answer comes from the issuer {issuer!r}, not from {metadata.issuer!r}"
            )
        tokens = await self._exchange(metadata, code, request)
        id_token, access_token = tokens.get("id_token"), tokens.get("access_token")
        if not isinstance(id_token, str):
            raise ProviderError(f"{self.client.label} sent no ID token; its client needs the scope 'openid'")
        claims = await self._checked(id_token, access_token, request.nonce)
        if (
            self.rules.has_all(claims)
            or metadata.userinfo_endpoint is None
            or not isinstance(access_token, str)
        ):
            return claims
        more = await self._ask(
            metadata.userinfo_endpoint, headers={"Authorization": f"Bearer {access_token}"}
        )
        if more.get("sub") != claims["sub"]:
            raise IdentityRefused("the user information is of another person than the ID token")
        return {**more, **claims}

    async def _exchange(self, metadata: ProviderMetadata, code: str, request: SignInRequest) -> JsonObject:
        headers, body = token_request(
            metadata.token_endpoint, self.client, code, request, secret_in_body=metadata.secret_in_body
        )
        return await self._ask(metadata.token_endpoint, headers=headers, form=body, refusable=True)

    async def _checked(self, id_token: str, access_token: Json, nonce: str) -> Claims:
        """The claims of an ID token, after all of its checks. Raises ``IdentityRefused`` or ``ProviderError``."""
        expected = Expected(
            client=self.client, nonce=nonce, access_token=access_token, now_s=self._clock.now_ms() // 1000
        )
        try:
            return checked_claims(id_token, await self.keys(), expected)
        except UnknownKey:
            # The provider may have replaced its keys.
            return checked_claims(id_token, await self.keys(older_than_s=_KEYS_AGAIN_S), expected)

    async def _ask(
        self,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: str | None = None,
        refusable: bool = False,
    ) -> JsonObject:
        """The JSON object that the provider answers with.

        Raises ``ProviderError``, and ``IdentityRefused`` if the answer to a ``refusable`` request says so.
        """
        import aiohttp

        what = f"{self.client.label} ({urlsplit(address).hostname})"
        try:
            async with (
                self._clock.timeout(_ANSWER_S),
                aiohttp.ClientSession(
                    cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=None)
                ) as session,
                # A redirect could lead the client secret anywhere.
                session.request(
                    "GET" if form is None else "POST",
                    address,
                    data=form,
                    headers={"Accept": "application/json", **(headers or {})},
                    allow_redirects=False,
                ) as answer,
            ):
                body = bytearray()
                async for part in answer.content.iter_any():
                    body += part
                    if len(body) > _LONGEST_ANSWER:
                        raise ProviderError(f"{what} sent more than {_LONGEST_ANSWER // 1024} KiB")
                status = answer.status
        except TimeoutError as error:
            raise ProviderError(f"{what} did not answer within {_ANSWER_S:.0f} s") from error
        except (aiohttp.ClientError, OSError) as error:
            raise ProviderError(f"{what} cannot be reached: {str(error) or type(error).__name__}") from error
        try:
            content: object = orjson.loads(bytes(body))
        except orjson.JSONDecodeError:
            content = None
        if refusable and status in (400, 401, 403) and isinstance(content, dict):
            reason = cast("JsonObject", content).get("error")
            if reason == "invalid_grant":
                raise IdentityRefused(f"{what} refused the code: it was used before, or is too old")
            raise ProviderError(f"{what} refused the console's request: {str(reason)[:100]!r}")
        if status != 200 or not isinstance(content, dict):
            raise ProviderError(
                f"{what} answered {urlsplit(address).path} with status {status} and no JSON object"
            )
        return cast("JsonObject", content)


def checked_address(address: Json, what: str) -> str:
    """An address of a provider. Raises ``ProviderError`` unless it is https, or on this machine.

    >>> checked_address("https://id.example.com/token", "token_endpoint")
    'https://id.example.com/token'
    """
    parts = urlsplit(address) if isinstance(address, str) else urlsplit("")
    here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if parts.username is not None or not parts.hostname or parts.scheme not in ("https", *(["http"] * here)):
        raise ProviderError(f"{what} is {address!r}; it must begin with https://")
    return str(address)


def _read_metadata(issuer: str, found: JsonObject) -> ProviderMetadata:
    """Raises ``ProviderError``."""
    if found.get("issuer") != issuer:
        raise ProviderError(
            f"the provider calls itself {found.get('issuer')!r}, and ASSISTANT_OIDC_ISSUER is {issuer!r}; they must"
            " be the same, letter for letter"
        )
    methods, challenges = found.get("token_endpoint_auth_methods_supported"), found.get(_CHALLENGES)
    optional = {
        name: checked_address(found[name], name) if found.get(name) is not None else None
        for name in ("userinfo_endpoint", "end_session_endpoint")
    }
    return ProviderMetadata(
        issuer=issuer,
        authorization_endpoint=checked_address(found.get("authorization_endpoint"), "authorization_endpoint"),
        token_endpoint=checked_address(found.get("token_endpoint"), "token_endpoint"),
        jwks_uri=checked_address(found.get("jwks_uri"), "jwks_uri"),
        userinfo_endpoint=optional["userinfo_endpoint"],
        end_session_endpoint=optional["end_session_endpoint"],
        secret_in_body=isinstance(methods, list) and "client_secret_basic" not in methods,
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
        challenges=[str(one) for one in challenges] if isinstance(challenges, list) else None,
    )


_CHALLENGES = "code_challenge_methods_supported"
