"""A small OpenID Connect provider on loopback, which can be told to do what it must not."""

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey
from joserfc.jws import JWSRegistry

CLIENT, SECRET = "console", "secret-of-the-console"
Person = dict[str, Any]

EVA: Person = {
    "sub": "u-eva",
    "email": "eva@shop.example",
    "email_verified": True,
    "name": "Eva Lind",
    "groups": ["support"],
}


@dataclass
class Asked:
    """What a person was sent here with."""

    request: dict[str, str]
    person: Person


@dataclass
class OpenIdProvider:
    """Signs one person in at once, without asking. A test changes the fields.

    Args:
        person: who is signed in here; None: the person refuses.
        now_s: the time in tokens.
        claims: claims that replace those of the next tokens; None as a value leaves the claim out.
        algorithm: how tokens are signed; "none" for no signature.
        published: the names of the keys that are published.
        signs_with: the key that signs.
        metadata: what replaces its description of itself.
        broken: the answer to a path: a status and a body, "slow" or "giant".
        email_at: "token", or "userinfo".
    """

    person: Person | None = field(default_factory=lambda: dict(EVA))
    now_s: int = 0
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    algorithm: str = "RS256"
    published: list[str] = field(default_factory=lambda: ["first"])
    signs_with: str = "first"
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    broken: dict[str, Any] = field(default_factory=dict[str, Any])
    email_at: str = "token"
    userinfo: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: list[str] = field(default_factory=list[str])
    port: int = 0
    codes: dict[str, Asked] = field(default_factory=dict[str, Asked])
    tokens: dict[str, Person] = field(default_factory=dict[str, Person])
    slow: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    """A slow answer is waited for."""

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}/staff"

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["OpenIdProvider"]:
        """Serve for as long as the block runs."""
        app = web.Application(middlewares=[self._broken])
        app.router.add_get("/staff/.well-known/openid-configuration", self._configuration)
        app.router.add_get("/staff/keys", self._keys)
        app.router.add_get("/staff/authorize", self._authorize)
        app.router.add_post("/staff/token", self._token)
        app.router.add_get("/staff/userinfo", self._userinfo)
        app.router.add_get("/staff/end", self._end)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            self.slow.set()
            await runner.cleanup()

    @web.middleware
    async def _broken(self, request: web.Request, handler: Any) -> web.StreamResponse:
        name = request.path.rpartition("/")[2]
        self.asked.append(name)
        match self.broken.get(name):
            case None:
                return await handler(request)
            case "slow":
                self.waiting.set()
                await self.slow.wait()
                return web.json_response({})
            case "giant":
                return web.Response(body=b'{"a": "' + b"x" * 4_000_000 + b'"}')
            case (status, body):
                headers = {"Location": body} if 300 <= status < 400 else {}
                return web.Response(status=status, text=body, headers=headers)
            case other:
                raise AssertionError(other)

    async def _configuration(self, _: web.Request) -> web.Response:
        described = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/end",
            "code_challenge_methods_supported": ["S256"],
            "response_types_supported": ["code"],
        }
        changed = {name: value for name, value in (described | self.metadata).items() if value is not None}
        return web.json_response(changed)

    async def _keys(self, _: web.Request) -> web.Response:
        listed = [_key(name).as_dict(private=False) for name in self.published]
        # Keys of other kinds are published, too, and are not for signatures of tokens.
        others = [
            {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
            {"kty": "EC", "crv": "unknown", "kid": "new"},
        ]
        return web.json_response({"keys": [*others, *listed]})

    async def _authorize(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        answer = {"state": asked["state"]}
        if self.person is None:
            answer["error"] = "access_denied"
        else:
            answer["code"] = secrets.token_urlsafe(16)
            self.codes[answer["code"]] = Asked(asked, dict(self.person))
        if self.metadata.get("authorization_response_iss_parameter_supported"):
            answer["iss"] = self.issuer
        raise web.HTTPSeeOther(f"{asked['redirect_uri']}?{urlencode(answer)}")

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: values[0] for name, values in parse_qs(await request.text()).items()}
        given = request.headers.get("Authorization", "").removeprefix("Basic ")
        basic = base64.b64decode(given).decode() == f"{CLIENT}:{SECRET}"
        posted = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        if not (basic or posted):
            return web.json_response({"error": "invalid_client"}, status=401)
        asked = self.codes.pop(form["code"], None)
        verifier = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        if (
            asked is None
            or challenge != asked.request["code_challenge"]
            or form["redirect_uri"] != asked.request["redirect_uri"]
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        access = secrets.token_urlsafe(16)
        self.tokens[access] = asked.person
        return web.json_response(
            {"access_token": access, "token_type": "Bearer", "id_token": self.id_token(asked)}
        )

    def id_token(self, asked: Asked) -> str:
        """The token of a person, with what the test changes of it."""
        person = asked.person if self.email_at == "token" else {"sub": asked.person["sub"]}
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "nonce": asked.request["nonce"],
            "iat": self.now_s,
            "exp": self.now_s + 300,
            **person,
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.algorithm == "none":
            return ".".join([_json_part({"alg": "none"}), _json_part(claims), ""])
        key = OctKey.import_key(SECRET) if self.algorithm == "HS256" else _key(self.signs_with)
        header = {"alg": self.algorithm, "kid": self.signs_with}
        return jwt.encode(
            header,
            claims,
            key,
            algorithms=[self.algorithm],
            registry=JWSRegistry(algorithms=[self.algorithm]),
        )

    async def _userinfo(self, request: web.Request) -> web.Response:
        person = self.tokens[request.headers["Authorization"].removeprefix("Bearer ")]
        return web.json_response(person | self.userinfo)

    async def _end(self, request: web.Request) -> web.Response:
        self.person = None
        raise web.HTTPSeeOther(request.query["post_logout_redirect_uri"])


@cache
def _key(name: str) -> Any:
    """A key with this name; it is made once, because that takes long."""
    parameters: Any = {"kid": name, "use": "sig"}
    if name.startswith("ec"):
        return ECKey.generate_key("P-256", parameters)
    return RSAKey.generate_key(2048, parameters)


def _json_part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
