"""What is configured: what is set and where, keys, origins, the site's secret, the time."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from assistant.clock import SystemClock
from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.doctor.read_settings import Known
from assistant.settings import Settings

_SHORTEST_SECRET = 32
_AT_HOME = ("localhost", "127.0.0.1", "[::1]")


def settings_findings(known: Known) -> list[Finding]:
    """What is set at all, and what does not fit."""
    return [*known.wrong, Fine("settings", _set(known))]


def key_findings(known: Known) -> list[Finding]:
    """Which providers' keys are there. Their values are nobody's business."""
    keys = sorted((name, place) for name, place in known.places.items() if name.upper().endswith("_API_KEY"))
    told = ", ".join(f"{name} is set ({place})" for name, place in keys)
    return [Fine("keys", told or "none set; neither the embedded model nor a server of your own needs one")]


def door_findings(settings: Settings) -> list[Finding]:
    """Whose pages may connect, who their visitors are, and what they may see."""
    return [*_origins(settings), *_site_secret(settings), *_openness(settings)]


def time_findings(settings: Settings) -> list[Finding]:
    """What time it is for the assistant."""
    now = SystemClock(settings.time_zone, settings.now).now()
    zone = settings.time_zone or f"the machine's zone, {now:%Z}"
    if settings.now is not None:
        says = f"ASSISTANT_NOW is set: the clock starts at {now:%Y-%m-%d %H:%M} ({zone})"
        return [Doubtful("time", says, "remove it before customers come")]
    return [Fine("time", f"{now:%A, %Y-%m-%d %H:%M} ({zone})")]


def _set(known: Known) -> str:
    by_place: dict[str, list[str]] = {}
    for name in Settings.model_fields:
        if (place := known.set_in(name)) != "default":
            by_place.setdefault(place, []).append(f"ASSISTANT_{name.upper()}")
    told = "; ".join(f"from {place}: {', '.join(names)}" for place, names in by_place.items())
    return told or "nothing is set: everything is as it comes"


def _origins(settings: Settings) -> Iterator[Finding]:
    if not settings.origins:
        yield Fine("origins", "none: only the server's own pages may connect")
        return
    for origin in settings.origins:
        at = urlsplit(origin)
        if at.scheme == "http" and at.netloc.partition(":")[0] not in _AT_HOME:
            cure = "serve that site over https, and name it so in ASSISTANT_ORIGINS"
            yield Doubtful("origins", f"{origin} may connect, and anybody on the way can read along", cure)
        else:
            yield Fine("origins", f"{origin} may connect")


def _site_secret(settings: Settings) -> Iterator[Finding]:
    if settings.site_secret is None:
        yield Fine("site secret", "not set: your site cannot sign its customers in")
    elif (length := len(settings.site_secret.get_secret_value())) < _SHORTEST_SECRET:
        says = f"{length} characters long, which can be guessed"
        yield Wrong(
            "site secret", says, f"set ASSISTANT_SITE_SECRET to {_SHORTEST_SECRET} characters or more"
        )
    else:
        yield Fine("site secret", f"set, {length} characters")


def _openness(settings: Settings) -> Iterator[Finding]:
    if settings.demo and settings.origins:
        cure = "set ASSISTANT_DEMO=false before real customers come"
        yield Doubtful("visitors", "every visitor is the demo shop's customer", cure)
    else:
        yield Fine("visitors", "the demo shop's customer" if settings.demo else "anonymous until signed in")
    if settings.developer:
        says = "any client may ask for tools' names, arguments and results"
        yield Doubtful("developer", says, "set ASSISTANT_DEVELOPER=false before customers come")
