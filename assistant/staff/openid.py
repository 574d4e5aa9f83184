"""The messages and checks of OpenID Connect, from authlib and joserfc; nothing here asks the network."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (authlib has no types)

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from assistant.conversation.values import Json, JsonObject
from assistant.errors import AssistantError
from assistant.staff.identity import Claims

if TYPE_CHECKING:
    from joserfc.jwk import Key, KeySet

# The libraries are imported at the first sign-in: most starts of a server need none of them.

_SKEW_S = 60
"""The maximum difference in seconds between the provider's clock and ours."""
_LONGEST_SUBJECT = 255

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key only. Otherwise a client secret, or no signature, would do."""
_KEY_TYPES = ("RSA", "EC", "OKP")


class ProviderError(AssistantError):
    """The identity provider does not answer, or not as it should."""


class IdentityRefused(AssistantError):
    """What the identity provider sent about a person cannot be trusted."""


class UnknownKey(IdentityRefused):
    """The ID token was signed with another key than those that the provider had published before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderClient:
    """The console, as the provider knows it.

    ``secret`` is "" for a client without one. ``label`` is what people call the provider.
    """

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    scopes: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRequest:
    """What one sign-in is recognised by. ``verifier`` and ``nonce`` are known to the person's browser only."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the claims of an ID token are compared with. ``now_s`` is the Unix time."""

    client: ProviderClient
    nonce: str
    access_token: Json
    now_s: int


def authorization_address(endpoint: str, client: ProviderClient, request: SignInRequest) -> str:
    """Where the person's browser goes to sign in."""
    from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
    from authlib.oauth2.rfc7636 import create_s256_code_challenge

    return prepare_grant_uri(
        endpoint,
        client.client_id,
        "code",
        redirect_uri=request.redirect_uri,
        scope=client.scopes,
        state=request.state,
        nonce=request.nonce,
        code_challenge=create_s256_code_challenge(request.verifier),
        code_challenge_method="S256",
    )


def token_request(
    endpoint: str, client: ProviderClient, code: str, request: SignInRequest, *, secret_in_body: bool
) -> tuple[dict[str, str], str]:
    """Headers and body of the request that gives ``code`` for tokens."""
    from authlib.common.urls import url_encode
    from authlib.oauth2.auth import ClientAuth

    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": request.redirect_uri,
        "code_verifier": request.verifier,
    }
    way = "client_secret_post" if secret_in_body else "client_secret_basic"
    _, headers, body = ClientAuth(client.client_id, client.secret, way if client.secret else "none").prepare(
        "POST",
        endpoint,
        {"Content-Type": "application/x-www-form-urlencoded"},
        url_encode(list(form.items())),
    )
    return headers, body


def checked_claims(id_token: str, keys: "KeySet", expected: Expected) -> Claims:
    """The claims of an ID token. Raises ``IdentityRefused``, and ``UnknownKey`` if there may be newer keys."""
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError

    client = expected.client
    try:
        token = jwt.decode(id_token, keys, algorithms=_ALGORITHMS)
        claims = CodeIDToken(
            token.claims,
            token.header,
            {
                "iss": {"essential": True, "value": client.issuer},
                "aud": {"essential": True, "value": client.client_id},
            },
            {"nonce": expected.nonce, "client_id": client.client_id, "access_token": expected.access_token},
        )
        claims.validate(now=expected.now_s, leeway=_SKEW_S)
    except (InvalidKeyIdError, BadSignatureError) as error:
        raise UnknownKey(f"the ID token is not valid: {error}") from error
    except (JoseError, ValueError, TypeError) as error:
        raise IdentityRefused(f"the ID token is not valid: {error}") from error
    if not 0 < len(claims["sub"]) <= _LONGEST_SUBJECT:
        raise IdentityRefused(f"the ID token's subject has more than {_LONGEST_SUBJECT} characters, or none")
    return cast("Claims", dict(claims))


def read_keys(found: JsonObject) -> "KeySet":
    """The published keys for signatures; those of other kinds are left out. Raises ``ProviderError``."""
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet, import_key

    listed = found.get("keys")
    keys: list[Key] = []
    for key in listed if isinstance(listed, list) else []:
        if not isinstance(key, dict) or key.get("kty") not in _KEY_TYPES or key.get("use", "sig") != "sig":
            continue
        try:
            keys.append(import_key(cast("dict[str, str | list[str]]", key)))
        except (JoseError, ValueError, TypeError, KeyError):
            continue  # a curve that is not known here
    if not keys:
        raise ProviderError("the identity provider has published no key for its signatures")
    return KeySet(keys)
