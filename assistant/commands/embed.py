"""``assistant embed``: what to put on a site, and whether the server will let that site in."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import typer
from pydantic import TypeAdapter, ValidationError

from assistant.commands import snippets
from assistant.errors import DeclarationError
from assistant.settings import Origin, Settings, load_settings
from assistant.shipped import shipped

_ORIGIN: TypeAdapter[str] = TypeAdapter(Origin)


def embed(*, server: str, site: str | None, framed: bool, bundle: Path | None = None) -> int:
    """Print what belongs on a page; gives the exit code: 1 when ``site`` would not be let in.

    Args:
        server: the web origin under which customers reach the assistant.
        site: the web origin of the site, if one is to be checked.
        framed: an iframe, instead of a script.
        bundle: the folder of the built widget; None: the one that comes with us.

    Raises:
        DeclarationError: one of them is no web origin, or the widget has not been built.
    """
    server = _origin("--server", server)
    site = None if site is None else _origin("--origin", site)
    settings = load_settings()
    loader = None if framed else _read(bundle or shipped("web") / "dist")
    for text in (*_what_to_copy(server, loader), *_what_is_set(settings, server, site)):
        typer.echo(text)
    return 0 if site is None or site in {server, *settings.origins} else 1


def _what_to_copy(server: str, loader: bytes | None) -> Iterator[str]:
    """Tags for this loader; without one, a frame."""
    framed = loader is None
    yield "On the page:\n"
    yield _shown(snippets.frame(server) if loader is None else snippets.tags(server, loader))
    if not framed:
        yield "The integrity changes with every release of the widget: print this again after an upgrade.\n"
    yield "If the page has a Content-Security-Policy, add to it:\n"
    yield _shown(snippets.policy(server, framed=framed))
    yield "If your customers are signed in, on your server, behind /chat-token:\n"
    yield _shown(snippets.SIGN)
    yield "and in a script of the page, before the chat:\n"
    yield _shown(snippets.introduce(server, framed=framed))
    if framed:
        yield "and in place of the frame above, one that waits until it has heard who is there:\n"
        yield _shown(snippets.frame(server, introduced=True))


def _what_is_set(settings: Settings, server: str, site: str | None) -> Iterator[str]:
    """Whether the settings here fit."""
    if site is not None:
        listed = ",".join((*settings.origins, site))
        let_in = site in {server, *settings.origins}
        yield f"{site} is let in." if let_in else f"{site} is NOT let in: set ASSISTANT_ORIGINS={listed}"
    elif settings.origins:
        yield f"These sites are let in: {', '.join(settings.origins)}"
    else:
        yield "No other site is let in: name yours in ASSISTANT_ORIGINS, and here with --origin."
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
