"""The launch mode: how a company lets its assistant begin with customers, under the eyes of its staff."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, TypeAlias, get_args

from assistant.conversation.customer import LEVELS, Customer, Level
from assistant.errors import AssistantError

LaunchMode: TypeAlias = Literal["usual", "shadow", "approval"]
MODES: tuple[LaunchMode, ...] = get_args(LaunchMode)

LONGEST_WAIT_S: Final = 3600


class LaunchRefused(AssistantError):
    """These values are no launch mode. The message says which would be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How the assistant answers, and whom.

    Args:
        mode: ``usual``: it answers. ``shadow``: it writes answers for staff, and sends none. ``approval``: a
            colleague approves each reply before it is sent.
        percent: the share of customers that get the assistant. The others get a person.
        levels: only customers with one of these levels get it; empty: all do.
        locales: only customers who write in one of these languages get it; empty: all do.
        wait_s: how long a reply waits for a colleague before the customer is told that a person will answer.
    """

    mode: LaunchMode = "usual"
    percent: int = 100
    levels: tuple[Level, ...] = ()
    locales: tuple[str, ...] = ()
    wait_s: int = 120

    def __post_init__(self) -> None:
        if not 0 <= self.percent <= 100:
            raise LaunchRefused(f"percent: {self.percent} is not from 0 to 100")
        if not 10 <= self.wait_s <= LONGEST_WAIT_S:
            raise LaunchRefused(f"wait: {self.wait_s} seconds is not from 10 to {LONGEST_WAIT_S}")
        for locale in self.locales:
            if not locale.replace("-", "").isalpha() or len(locale) > 10:
                raise LaunchRefused(f"locale: {locale[:20]!r} is not a language such as en or pt-BR")

    def includes(self, customer: Customer, visitor: str) -> bool:
        """Whether this customer gets the assistant. ``visitor`` decides about the share: the same one always gets
        the same answer, and a larger share includes everyone whom a smaller one included.
        """
        if self.levels and customer.level not in self.levels:
            return False
        languages = {one.partition("-")[0].casefold() for one in self.locales}
        if languages and customer.locale.partition("-")[0].casefold() not in languages:
            return False
        return _place(customer.tenant, visitor) < self.percent


USUAL: Final = Launch()

_SAFEST: Final = Launch(mode="shadow")


def read_launch(
    mode: str, percent: int, levels: Iterable[str], locales: Iterable[str], wait_s: int
) -> Launch:
    """A launch mode from what a person has typed. Raises ``LaunchRefused``.

    >>> read_launch("shadw", 100, [], [], 120)
    Traceback (most recent call last):
        ...
    assistant.staff.launch.LaunchRefused: mode: 'shadw' is none of usual, shadow, approval
    """
    known: dict[str, LaunchMode] = {one: one for one in MODES}
    if mode not in known:
        raise LaunchRefused(f"mode: {mode[:20]!r} is none of {', '.join(MODES)}")
    wanted = set(levels)
    if unknown := sorted(wanted - set(LEVELS)):
        raise LaunchRefused(f"level: {unknown[0][:20]!r} is none of {', '.join(LEVELS)}")
    return Launch(
        mode=known[mode],
        percent=percent,
        levels=tuple(one for one in LEVELS if one in wanted),
        locales=tuple(sorted({one.strip() for one in locales if one.strip()})),
        wait_s=wait_s,
    )


def launch_text(launch: Launch) -> str:
    """A launch mode as stored text, and as the audit shows it.

    >>> launch_text(Launch(mode="shadow", percent=25, locales=("de", "en")))
    'shadow percent=25 levels= locales=de,en wait=120'
    """
    levels, locales = ",".join(launch.levels), ",".join(launch.locales)
    return f"{launch.mode} percent={launch.percent} levels={levels} locales={locales} wait={launch.wait_s}"


def launch_of(text: str) -> Launch:
    """The inverse of :func:`launch_text`. Text that this release cannot read is a shadow launch: nothing is sent.

    >>> launch_of(launch_text(Launch(mode="approval", levels=("signed_in",)))).levels
    ('signed_in',)
    >>> launch_of("shy").mode
    'shadow'
    """
    mode, *rest = text.split(" ")
    fields = {name: value for name, _, value in (one.partition("=") for one in rest)}
    try:
        levels, locales = ([one for one in fields[name].split(",") if one] for name in ("levels", "locales"))
        return read_launch(mode, int(fields["percent"]), levels, locales, int(fields["wait"]))
    except (KeyError, ValueError, LaunchRefused):
        return _SAFEST


def _place(tenant: str, visitor: str) -> int:
    """The visitor's place from 0 to 99, which never changes."""
    return int.from_bytes(sha256(f"{tenant}/{visitor}".encode()).digest()[:8]) % 100
