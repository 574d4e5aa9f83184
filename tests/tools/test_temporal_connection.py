"""The connection to Temporal: TLS, certificates, API key, namespace, and the errors for each."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from assistant.assembly.long_calls import temporal_of
from assistant.doctor.service_findings import temporal_findings
from assistant.errors import DeclarationError
from assistant.findings import Finding, Fine, Wrong, looked_at
from assistant.settings import Settings
from assistant.tools.temporal.runner import connection_options
from tests.support.temporal import TemporalServer, temporal_server

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

CA, CERT, KEY = (f"TEMPORAL_TLS_{name}_PATH" for name in ("SERVER_CA_CERT", "CLIENT_CERT", "CLIENT_KEY"))


@dataclass(frozen=True)
class Temporal:
    """A development server, and two ways to it by TLS: the second one asks for a client's certificate."""

    server: TemporalServer
    tls: str
    mutual_tls: str
    folder: Path

    def path(self, name: str) -> str:
        return str(self.folder / name)


Signed = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def certify(folder: Path, name: str, signer: Signed | None = None) -> Signed:
    """Write a certificate for this machine and its key, signed by ``signer`` or itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    here = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(
            issuer_name=signer[0].subject if signer else subject,
            subject_name=subject,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - timedelta(days=1),
            not_valid_after=now + timedelta(days=1),
        )
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(here), critical=False)
        .sign(signer[1] if signer else key, hashes.SHA256())
    )
    (folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, key


async def tls_proxy(folder: Path, port: int, *, mutual: bool) -> asyncio.Server:
    """Takes TLS connections and passes what they carry on to the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    context.set_alpn_protocols(["h2"])
    if mutual:
        context.load_verify_locations(folder / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass  # one end is gone
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, to_server), copy(from_server, writer))

    return await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def temporal(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Temporal]:
    folder = tmp_path_factory.mktemp("temporal")
    authority = certify(folder, "ca")
    certify(folder, "other")
    for name in ("server", "client"):
        certify(folder, name, authority)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(temporal_server(folder))
        addresses: list[str] = []
        for mutual in (False, True):
            proxy = await tls_proxy(folder, server.port, mutual=mutual)
            stack.callback(proxy.close)
            addresses.append(f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        plain, mutual_tls = addresses
        yield Temporal(server, plain, mutual_tls, folder)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


async def found(address: str, monkeypatch: pytest.MonkeyPatch, **variables: str) -> Finding:
    """What the doctor says."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings = Settings(temporal=address)
    (finding,) = await looked_at("temporal", lambda: temporal_findings(settings, offline=False))
    return finding


async def test_it_answers(temporal: Temporal, monkeypatch: pytest.MonkeyPatch) -> None:
    address = temporal.server.address
    assert await found(address, monkeypatch) == Fine(
        "temporal", f"{address}, namespace 'default': it answers"
    )
    (unasked,) = await temporal_findings(Settings(temporal="localhost:1"), offline=True)
    assert unasked == Fine("temporal", "localhost:1, namespace 'default': not asked")
    assert await temporal_findings(Settings(), offline=False) == []


async def test_tls_with_a_companys_own_authority_works(
    temporal: Temporal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(await found(temporal.tls, monkeypatch, **{CA: temporal.path("ca.pem")}), Fine)


async def test_mutual_tls_works(temporal: Temporal, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {CA: "ca.pem", CERT: "client.pem", KEY: "client.key"}
    given = {name: temporal.path(file) for name, file in files.items()}
    assert isinstance(await found(temporal.mutual_tls, monkeypatch, **given), Fine)


async def test_an_api_key_uses_tls(temporal: Temporal, monkeypatch: pytest.MonkeyPatch) -> None:
    options = connection_options({"TEMPORAL_API_KEY": "k-1", "TEMPORAL_ADDRESS": "elsewhere:1"})
    assert options == {"api_key": "k-1", "tls": True}
    given = {"TEMPORAL_API_KEY": "k-1", CA: temporal.path("ca.pem")}
    assert isinstance(await found(temporal.tls, monkeypatch, **given), Fine)


@pytest.mark.parametrize(
    ("mutual", "files", "cure"),
    [
        (False, {CA: "other.pem"}, f"{CA} must name the certificate of the authority"),
        (False, {}, "set TEMPORAL_TLS=true"),
        (True, {CA: "ca.pem"}, f"set {CERT} and {KEY}"),
        (True, {CA: "ca.pem", CERT: "client.pem"}, f"set both {CERT} and {KEY}"),
        (True, {CA: "ca.pem", CERT: "client.pem", KEY: "other.key"}, f"{KEY} is not the key of {CERT}"),
        (False, {CA: "gone.pem"}, "No such file or directory; name a file in PEM format"),
    ],
)
async def test_a_wrong_certificate_is_reported_with_the_solution(
    temporal: Temporal, monkeypatch: pytest.MonkeyPatch, mutual: bool, files: dict[str, str], cure: str
) -> None:
    address = temporal.mutual_tls if mutual else temporal.tls
    given = {name: temporal.path(file) for name, file in files.items()}
    finding = await found(address, monkeypatch, **given)
    assert isinstance(finding, Wrong)
    assert cure in finding.says


async def test_a_wrong_name_is_reported_with_the_solution(
    temporal: Temporal, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {CA: temporal.path("ca.pem"), "TEMPORAL_TLS_SERVER_NAME": "shop.example"}
    finding = await found(temporal.tls, monkeypatch, **given)
    assert isinstance(finding, Wrong)
    assert "TEMPORAL_TLS_SERVER_NAME must be a name that is in the server's certificate" in finding.says


async def test_a_server_without_tls_is_reported(temporal: Temporal, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = await found(temporal.server.address, monkeypatch, TEMPORAL_TLS="true")
    assert isinstance(finding, Wrong)
    assert "does not speak TLS" in finding.says


async def test_a_missing_namespace_is_reported(temporal: Temporal, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = await found(f"{temporal.server.address}/shop", monkeypatch)
    assert isinstance(finding, Wrong)
    assert finding.says.endswith("create it: temporal operator namespace create --namespace shop")


async def test_an_unreachable_server_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = await found("127.0.0.1:1", monkeypatch)
    assert isinstance(finding, Wrong)
    assert finding.says.endswith("check that it runs, and the host and port in ASSISTANT_TEMPORAL")


async def test_a_refused_key_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    grpc: Any = import_module("grpc")
    keys: list[str] = []

    class Refuses(grpc.GenericRpcHandler):
        def service(self, handler_call_details: Any) -> Any:
            keys.extend(
                one.value for one in handler_call_details.invocation_metadata if one.key == "authorization"
            )

            async def refuse(_: Any, context: Any) -> None:
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, "Request unauthorized.")

            return grpc.unary_unary_rpc_method_handler(refuse)

    server = import_module("grpc.aio").server()
    server.add_generic_rpc_handlers([Refuses()])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        given = {"TEMPORAL_API_KEY": "k-wrong", "TEMPORAL_TLS": "false"}
        finding = await found(f"127.0.0.1:{port}", monkeypatch, **given)
    finally:
        await server.stop(None)
    assert set(keys) == {"Bearer k-wrong"}
    assert isinstance(finding, Wrong)
    assert finding.says.endswith("check TEMPORAL_API_KEY, and that it may use this namespace")
    assert "k-wrong" not in finding.says


async def test_a_missing_file_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CA, "gone.pem")
    with pytest.raises(DeclarationError, match=f"{CA}='gone.pem': No such file"):
        temporal_of(Settings(temporal="localhost:7233"))
