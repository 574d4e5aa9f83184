"""The people of one tenant who take conversations: their profiles, and whether they are there."""

from dataclasses import dataclass, replace

from assistant.ports import Clock
from assistant.staff.accounts import Account
from assistant.staff.profiles import WorkProfile
from assistant.staff.staff import Staff
from assistant.staff.store import ProfileStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Colleague:
    """A person who may take conversations over."""

    account: Account
    profile: WorkProfile


class Workforce:
    """Who takes conversations. All servers of an installation know the same.

    Args:
        staff: the accounts.
        store: where profiles are stored.
        clock: what times are measured by.
    """

    def __init__(self, staff: Staff, store: ProfileStore, clock: Clock) -> None:
        self._staff, self._store, self.clock = staff, store, clock

    async def profiles(self) -> dict[str, WorkProfile]:
        """The profiles that were set, by account. Raises ``LogError``."""
        return {one.account: one for one in await self._store.list_profiles(self._staff.tenant)}

    async def profile_of(self, account: Account) -> WorkProfile:
        """The profile of a person. Raises ``LogError``."""
        return (await self.profiles()).get(account.id) or self._usual(account)

    async def colleagues(self) -> list[Colleague]:
        """All who may take conversations over, by login. Raises ``LogError``."""
        profiles = await self.profiles()
        return [
            Colleague(account=one, profile=profiles.get(one.id) or self._usual(one))
            for one in await self._staff.people()
            if "conversations.take_over" in one.may
        ]

    async def change(
        self,
        account: Account,
        *,
        teams: tuple[str, ...] | None = None,
        skills: tuple[str, ...] | None = None,
        capacity: int | None = None,
        away: bool | None = None,
    ) -> WorkProfile:
        """Change what is given. Raises ``LogError``."""
        before = await self.profile_of(account)
        after = replace(
            before,
            teams=before.teams if teams is None else tuple(dict.fromkeys(teams)),
            skills=before.skills if skills is None else tuple(dict.fromkeys(skills)),
            capacity=before.capacity if capacity is None else capacity,
            away=before.away if away is None else away,
        )
        await self._store.save_profile(after)
        return after

    async def note_presence(self, account: Account) -> None:
        """Note that a page of this person is open now. Raises ``LogError``."""
        await self._store.note_presence(self._staff.tenant, account.id, self.clock.now_ms())

    def _usual(self, account: Account) -> WorkProfile:
        return WorkProfile(tenant=self._staff.tenant, account=account.id)
