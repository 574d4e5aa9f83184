"""Starts nginx or Caddy with the shipped configuration, as a process on loopback."""

import asyncio
import os
import shutil
import socket
import ssl
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DEPLOY = Path(__file__).parents[2] / "deploy"
DOMAIN = "chat.example.com"

_NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/log;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/meanwhile.conf;
}}
"""

_CADDY = """
{
	admin off
	default_bind 127.0.0.1
	auto_https disable_redirects
	storage file_system FOLDER
}
"""


def installed(program: str) -> str:
    """The path of a program of the system. Where it is missing, a test is skipped; with CI=true it fails."""
    found = shutil.which(program)
    if found is None:
        missing = f"{program} is not installed: its configuration in deploy/ was not tried"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@dataclass(frozen=True, slots=True)
class ReverseProxy:
    """A proxy with TLS. ``plain_port`` is nginx's port without TLS, 0 for Caddy."""

    port: int
    plain_port: int
    trusted: ssl.SSLContext
    process: Process


@asynccontextmanager
async def nginx(folder: Path, ports: Sequence[int]) -> AsyncGenerator[ReverseProxy]:
    """Nginx in front of the servers at these ports."""
    program = installed("nginx")
    certificate, key = _make_certificate(folder)
    port, plain_port = free_port(), free_port()
    config = (DEPLOY / "nginx/meanwhile.conf.template").read_text()
    for name, value in {
        "${CHAT_DOMAIN}": DOMAIN,
        "${CHAT_SERVERS}": " ".join(f"server 127.0.0.1:{one};" for one in ports),
        "${TLS_CERTIFICATE}": str(certificate),
        "${TLS_KEY}": str(key),
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "listen 80;": f"listen 127.0.0.1:{plain_port};",
    }.items():
        assert name in config, name
        config = config.replace(name, value)
    (folder / "meanwhile.conf").write_text(config)
    user = "user root;" if os.geteuid() == 0 else ""  # its workers must reach the test's folder
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, user=user))
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    async with _running(command, port, folder / "log") as process:
        yield ReverseProxy(port, plain_port, ssl.create_default_context(cafile=str(certificate)), process)


@asynccontextmanager
async def caddy(folder: Path, ports: Sequence[int]) -> AsyncGenerator[ReverseProxy]:
    """Caddy in front of the servers at these ports, with a certificate of the test's."""
    program = installed("caddy")
    certificate, key = _make_certificate(folder)
    port = free_port()
    shipped = (DEPLOY / "caddy/Caddyfile").read_text()
    begins = "{$CHAT_DOMAIN} {\n"
    assert begins in shipped
    own = f"{begins}\ttls {certificate} {key}\n"
    (folder / "Caddyfile").write_text(_CADDY.replace("FOLDER", str(folder)) + shipped.replace(begins, own))
    environment = {
        "HOME": str(folder),
        "CHAT_DOMAIN": f"https://{DOMAIN}:{port}",
        "CHAT_SERVERS": " ".join(f"127.0.0.1:{one}" for one in ports),
    }
    command = [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    async with _running(command, port, folder / "log", environment) as process:
        yield ReverseProxy(port, 0, ssl.create_default_context(cafile=str(certificate)), process)


def free_port() -> int:
    """A port that no one listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def _running(
    command: list[str], port: int, log: Path, environment: dict[str, str] | None = None
) -> AsyncGenerator[Process]:
    """The process, once it listens; ended with the block, or with the tests, however they end."""
    if (setpriv := shutil.which("setpriv")) is not None:
        command = [setpriv, "--pdeathsig", "KILL", *command]
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *command, stdout=errors, stderr=errors, env=environment
        )
    try:
        async with asyncio.timeout(30):
            while not await _listens(port):
                assert process.returncode is None, log.read_text()
                await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of its own for the domain, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, DOMAIN)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(DOMAIN)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, key_file
