"""The installation's secret is replaced while servers run, and no signature becomes invalid."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import jwt
import pytest

from assistant.assembly.storage import change_secret
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.errors import DeclarationError, IdentityError
from assistant.server.attachments import AttachmentAddresses, AttachmentPlace
from assistant.server.auth import SiteTokens, UserRefused, Visit, VisitorTokens
from assistant.store.keyring import TAKEN_UP_S, InstallationSecret, Keyring
from assistant.store.sqlite.data_folder import read_secret, replace_secret
from assistant.testing.virtual_time import VirtualClock
from tests.server.running_server import ManualClock
from tests.store.conftest import Installation

OLD, NEW = "the first secret of this installation", "the second secret of this installation"
ANA = Customer(tenant="shop", id="ana", level="verified")
KEY = ConversationKey(tenant="shop", customer="ana", conversation="c-1")


class Stored:
    """A secret that servers read again."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock, self.secret = clock, InstallationSecret(current=OLD)

    async def read(self) -> str:
        return self.secret.text

    def server(self) -> Keyring:
        return Keyring(InstallationSecret.parse(self.secret.text), self.clock, self.read)


@pytest.fixture
def stored() -> Stored:
    return Stored(ManualClock())


def signer(keys: Keyring, clock: ManualClock) -> tuple[Callable[[], object], Callable[[object], bool]]:
    """Signs a visitor's token and an attachment's address, and says whether such a pair is believed."""
    tokens, addresses = VisitorTokens(keys, clock), AttachmentAddresses(keys, clock)
    place = AttachmentPlace(key=KEY, seq=7, index=0)

    def sign() -> object:
        return (
            tokens.issue(Visit(customer=ANA, conversation="c-1"))[0],
            addresses.address_of(place).rpartition("/")[2],
        )

    def believes(signed: object) -> bool:
        token, address = cast("tuple[str, str]", signed)
        try:
            tokens.read(token)
        except IdentityError:
            return False
        return addresses.read(address) == place

    return sign, believes


@pytest.mark.parametrize("tenant", [None, "acme"])
async def test_no_server_refuses_another_servers_signature_during_a_rotation(
    stored: Stored, tenant: str | None
) -> None:
    clock = stored.clock
    rings = [stored.server(), stored.server()]
    one, two = (signer(ring if tenant is None else ring.of_tenant(tenant), clock) for ring in rings)
    signed = [one[0](), two[0]()]

    stored.secret = stored.secret.rotated(NEW, clock.now_ms())
    await rings[0].refresh()  # the other has not read it yet
    signed += [one[0](), two[0]()]
    assert all(server[1](each) for server in (one, two) for each in signed)
    await rings[1].refresh()
    clock.advance(TAKEN_UP_S)
    late = [one[0](), two[0]()]  # with the new one
    assert all(server[1](each) for server in (one, two) for each in signed + late)

    stored.secret = stored.secret.finished(str.upper, ["acme"])
    for ring in rings:
        await ring.refresh()
    assert [two[1](each) for each in signed + late] == [False, False, False, False, True, True]


async def test_a_second_rotation_waits_for_the_end_of_the_first(stored: Stored) -> None:
    rotated = stored.secret.rotated(NEW, 5)

    with pytest.raises(DeclarationError, match="is being replaced already: finish that first"):
        rotated.rotated("a third secret", 6)
    assert InstallationSecret.parse(rotated.text) == rotated
    finished = rotated.finished(lambda secret: f"key-{len(secret)}", ["acme"])
    assert InstallationSecret.parse(finished.text) == finished
    assert (finished.accepted, finished.retired_keys) == ((NEW,), [f"key-{len(OLD)}"])
    assert finished.of_tenant("acme").retired_keys == ["key-64"]
    with pytest.raises(DeclarationError, match="it has a line of another release"):
        InstallationSecret.parse(f"{NEW}\nsomething else")


async def test_the_file_is_replaced_atomically_and_only_if_it_is_as_expected(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{OLD}\n")
    (tmp_path / "secret").chmod(0o600)

    with pytest.raises(DeclarationError, match="changed at the same moment"):
        replace_secret(tmp_path, NEW, NEW)
    replace_secret(tmp_path, OLD, InstallationSecret(current=NEW, previous=OLD).text)

    assert read_secret(tmp_path) == f"{NEW}\nprevious {OLD}"
    assert [(file.name, oct(file.stat().st_mode & 0o777)) for file in tmp_path.iterdir()] == [
        ("secret", "0o600")
    ]


async def test_credentials_are_encrypted_again_before_the_old_secret_is_removed(
    installation: Installation, clock: VirtualClock
) -> None:
    credential = CustomerCredential(
        token="anas-own-thing", claims={"plan": "gold"}, expires_ms=clock.now_ms() + 3_600_000
    )
    async with installation.open() as server:
        await server.credentials.keep(KEY, credential)
        old = server.keyring.record
        rotated = old.rotated(NEW, clock.now_ms() - round(TAKEN_UP_S * 1000))
        await change_secret(installation.settings, lambda _: rotated)
        await server.keyring.refresh()
        found = await server.credentials.kept(KEY)
        assert found is not None

        assert await server.credentials.reseal() == 1

        await change_secret(installation.settings, lambda now: now.finished(str.upper, []))
    async with installation.open() as server:
        assert server.keyring.record.accepted == (NEW,)
        found = await server.credentials.kept(KEY)
        assert found is not None
        assert (found.token, dict(found.claims)) == ("anas-own-thing", {"plan": "gold"})


async def test_a_site_may_sign_with_either_secret() -> None:
    clock = ManualClock()

    class Unused:
        async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
            return bool(tenant and token_id and until_ms > now_ms)

    tokens = SiteTokens(NEW.encode(), OLD.encode(), clock=clock, used=Unused(), tenant="shop")
    claims = {"sub": "ana", "aud": "meanwhile", "exp": int(clock.at_s) + 300, "jti": "j1"}
    for secret in (OLD, NEW):
        signed = jwt.encode(claims, secret, algorithm="HS256")  # pyright: ignore[reportUnknownMemberType]
        assert (await tokens.redeem(signed)).customer.id == "ana"
    with pytest.raises(UserRefused):
        await tokens.redeem(
            jwt.encode(claims, OLD.upper(), algorithm="HS256")  # pyright: ignore[reportUnknownMemberType]
        )
