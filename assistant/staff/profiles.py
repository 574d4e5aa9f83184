"""What a person works on: teams, skills, how many conversations at a time, and whether they are there."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

HERE_S: Final = 45.0
"""A person whose page has not reported for this time is offline: the page reports every 15 seconds."""

USUAL_CAPACITY: Final = 5
"""How many conversations a person has at a time, if nothing else is set."""

Availability: TypeAlias = Literal["available", "away", "offline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkProfile:
    """How one account of a tenant works.

    ``teams`` and ``skills`` are names, such as "billing" or "de". ``capacity`` is the most conversations at a
    time. ``away``: the person has switched themselves to away. ``here_ms`` is when a page of theirs was last
    open; 0: never.
    """

    tenant: str
    account: str
    teams: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    capacity: int = USUAL_CAPACITY
    away: bool = False
    here_ms: int = 0

    def availability(self, now_ms: int) -> Availability:
        """Whether the person can take conversations now.

        >>> kim = WorkProfile(tenant="t", account="kim", here_ms=10_000)
        >>> kim.availability(20_000), kim.availability(90_000)
        ('available', 'offline')
        """
        if now_ms - self.here_ms > HERE_S * 1000:
            return "offline"
        return "away" if self.away else "available"

    def fits(self, team: str, skill: str) -> bool:
        """Whether the person is in this team and has this skill; "" is any.

        >>> WorkProfile(tenant="t", account="kim", teams=("billing",)).fits("billing", "de")
        False
        """
        return (not team or team in self.teams) and (not skill or skill in self.skills)
