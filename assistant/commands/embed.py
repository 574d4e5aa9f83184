"""``assistant embed``: the HTML for a site, and whether the server will accept that site."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha384
from pathlib import Path
from string import Template
from textwrap import indent
from urllib.parse import urlsplit

import typer
from pydantic import TypeAdapter, ValidationError

from assistant.errors import DeclarationError
from assistant.settings import Origin, Settings, TenantSettings
from assistant.shipped import shipped
from assistant.tenants import load_settings

_TAGS = Template("""\
<script type="module" src="$server/meanwhile-chat.js"
        integrity="$integrity" crossorigin="anonymous"></script>
<meanwhile-chat$attribute></meanwhile-chat>
""")

_FRAME = Template("""\
<iframe src="$server$path/frame$fragment" title="Chat" allow="microphone" width="400" height="680"></iframe>
""")

SIGNING_CODE = '''\
import os, time, uuid
import jwt  # pip install pyjwt


def chat_token(customer_id: str, name: str) -> str:
    """Vouch for the customer who is signed in, for one hello within five minutes."""
    now = int(time.time())
    claims = {"aud": "meanwhile", "sub": customer_id, "name": name, "iat": now, "exp": now + 300}
    claims["jti"] = str(uuid.uuid4())
    return jwt.encode(claims, os.environ["ASSISTANT_SITE_SECRET"], algorithm="HS256")
'''
"""Runs on the site's server: signs a token for ``hello.user``."""

_INTRODUCE = """\
(window.Meanwhile ||= []).push(["setUser", async () => (await fetch("/chat-token")).text()]);
"""

_INTRODUCE_FRAME = Template("""\
const introduce = async (chat) => {
  const user = await (await fetch("/chat-token")).text();
  chat.postMessage({ type: "meanwhile.setUser", user }, "$server");
};
addEventListener("message", ({ origin, source, data }) => {
  if (origin === "$server" && data.type === "meanwhile.ready") introduce(source);
});
""")


_ORIGIN: TypeAdapter[str] = TypeAdapter(Origin)


def embed(*, server: str, site: str | None, framed: bool, bundle: Path | None = None) -> int:
    """Print the HTML for a page; returns the exit code: 1 if the server would refuse ``site``.

    Args:
        server: the web origin under which customers reach the assistant.
        site: the web origin of the site to check, if there is one.
        framed: an iframe instead of a script.
        bundle: the folder of the built widget; None: the package's widget.

    Raises:
        DeclarationError: a value is no web origin, or the widget has not been built.
    """
    server = _origin("--server", server)
    site = None if site is None else _origin("--origin", site)
    settings = load_settings()
    loader = None if framed else _read(bundle or shipped("web") / "dist")
    for text in (
        *_what_to_copy(server, loader, _tenant(settings, server)),
        *_what_is_set(settings, server, site),
    ):
        typer.echo(text)
    return 0 if site is None or site in {server, *settings.allowed_origins} else 1


def integrity(script: bytes) -> str:
    """The hash with which a browser verifies a script before it runs it.

    >>> integrity(b"")[:20]
    'sha384-OLBgp1GsljhM2'
    """
    return f"sha384-{b64encode(sha384(script).digest()).decode()}"


def script_tags(server: str, loader: bytes, tenant: str | None = None) -> str:
    """The HTML that adds the chat to each page of a site. ``loader`` is the script that it verifies.

    ``tenant`` is the company of a server with several tenants; None: the host name selects the tenant.
    """
    attribute = "" if tenant is None else f' tenant="{tenant}"'
    return _TAGS.substitute(server=server, integrity=integrity(loader), attribute=attribute)


def frame_tag(server: str, tenant: str | None = None, *, introduced: bool = False) -> str:
    """The chat in a frame, for a site that cannot add a script. ``introduced``: it waits for the site's token."""
    path, fragment = "" if tenant is None else f"/t/{tenant}", "#introduced" if introduced else ""
    return _FRAME.substitute(server=server, path=path, fragment=fragment)


def content_security_policy(server: str, *, framed: bool) -> str:
    r"""What a page's Content-Security-Policy must allow, one directive on each line.

    >>> content_security_policy("https://chat.example", framed=False)
    'script-src https://chat.example\nconnect-src wss://chat.example https://chat.example\n'
    >>> content_security_policy("http://127.0.0.1:8000", framed=True)
    'frame-src http://127.0.0.1:8000\n'
    """
    if framed:
        return f"frame-src {server}\n"
    # The websocket, and the files that customers send.
    return f"script-src {server}\nconnect-src {server.replace('http', 'ws', 1)} {server}\n"


def introduction(server: str, *, framed: bool) -> str:
    """A script for the page that gives the chat a token from the site's server when it needs one."""
    return _INTRODUCE_FRAME.substitute(server=server) if framed else _INTRODUCE


def _tenant(settings: Settings, server: str) -> str | None:
    """The tenant that the page must name; None: there is one company, or the host name selects it."""
    several = isinstance(settings, TenantSettings)
    return settings.tenant if several and urlsplit(server).hostname not in settings.hosts else None


def _what_to_copy(server: str, loader: bytes | None, tenant: str | None) -> Iterator[str]:
    """Tags for this loader; without a loader, a frame."""
    framed = loader is None
    yield "On the page:\n"
    yield _shown(frame_tag(server, tenant) if loader is None else script_tags(server, loader, tenant))
    if not framed:
        yield "The integrity changes with every release of the widget: print this again after an upgrade.\n"
    yield "If the page has a Content-Security-Policy, add to it:\n"
    yield _shown(content_security_policy(server, framed=framed))
    yield "If your customers are signed in, on your server, behind /chat-token:\n"
    yield _shown(SIGNING_CODE)
    yield "and in a script of the page, before the chat:\n"
    yield _shown(introduction(server, framed=framed))
    if framed:
        yield "and in place of the frame above, one that waits until it has heard who is there:\n"
        yield _shown(frame_tag(server, tenant, introduced=True))


def _what_is_set(settings: Settings, server: str, site: str | None) -> Iterator[str]:
    """Whether the local settings fit."""
    if site is not None:
        listed = ",".join((*settings.allowed_origins, site))
        let_in = site in {server, *settings.allowed_origins}
        yield (
            f"{site} may connect."
            if let_in
            else f"{site} may NOT connect: set ASSISTANT_ALLOWED_ORIGINS={listed}"
        )
    elif settings.allowed_origins:
        yield f"These sites may connect: {', '.join(settings.allowed_origins)}"
    else:
        yield "No other site may connect: name yours in ASSISTANT_ALLOWED_ORIGINS, and here with --origin."
    if settings.site_secret is None:
        yield "ASSISTANT_SITE_SECRET is not set: no site can say who its customer is."


def _read(bundle: Path) -> bytes:
    file = bundle / "meanwhile-chat.js"
    try:
        return file.read_bytes()
    except OSError as error:
        raise DeclarationError(
            f"{file}: {error.strerror}; the widget is built by `npm ci && npm run build` in web/"
        ) from error


def _origin(option: str, given: str) -> str:
    try:
        return _ORIGIN.validate_python(given.rstrip("/"))
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise DeclarationError(f"{option} {given!r}: {problem}") from error


def _shown(text: str) -> str:
    return indent(text, "    ")
