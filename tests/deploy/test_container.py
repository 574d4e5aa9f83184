"""The image's build, step by step in an empty folder, and the server that it starts.

There is no container engine here. So this does not prove that the base image can be fetched, that its Python is the
one of these tests, and how large the image is. Packages are not downloaded: those of this environment take their
place, and their versions are compared with the lock files.
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Generator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from assistant.commands.project.new import new
from assistant.settings import PREFIX, Settings
from tests.deploy.containerfile import (
    ROOT,
    Stage,
    Step,
    below,
    copy,
    installs_from_lock,
    read_containerfile,
    run,
)
from tests.deploy.reverse_proxy import free_port

pytestmark = pytest.mark.slow

USER = 10001
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ \\]+)", re.MULTILINE)


def pins(lock: str) -> dict[str, str]:
    return dict(_PIN.findall((ROOT / lock).read_text()))


def environment_of(stage: Stage) -> dict[str, str]:
    """What its ``ENV`` lines set."""
    return dict(pair.split("=", 1) for step in stage.all("ENV") for pair in step.arguments)


@pytest.fixture(scope="module")
def image() -> Generator[Path]:
    """The file system that the build makes, without the base image."""
    with tempfile.TemporaryDirectory(
        prefix="meanwhile-image-"
    ) as folder:  # others may not enter pytest's own
        root = Path(folder)
        root.chmod(0o755)
        _build(root)
        yield root


def _build(root: Path) -> None:
    build, final = read_containerfile()
    workdir = root / "src"
    workdir.mkdir()
    for step in build.steps:
        if step.name == "COPY":
            copy(step, ROOT, workdir)
        elif step.name == "RUN" and not installs_from_lock(step):
            run(step, root, workdir)
            _lend_packages(root)
    shutil.rmtree(workdir)
    for step in final.all("RUN"):
        owned = f"chown {USER}:{USER}"
        run(Step("RUN", step.words.replace(owned, owned if os.geteuid() == 0 else "true")), root, root)
    (root / "tmp").mkdir()


def _lend_packages(root: Path) -> None:
    """Let the image's environment see the packages of this one, but not this checkout."""
    (packages,) = (root / "opt/meanwhile/lib").glob("python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib"))


def test_each_package_comes_from_a_lock_file_with_its_hash() -> None:
    build, final = read_containerfile()
    from_locks = [step for step in build.all("RUN") if installs_from_lock(step)]

    assert [installs_from_lock(step) for step in from_locks] == [
        ["deploy/requirements.lock"],
        ["requirements.lock"],  # with VOICE only
        ["deploy/build.lock"],
    ]
    for step in from_locks:
        assert "install --no-deps --require-hashes -r" in step.words
    for step in (*build.all("RUN"), *final.all("RUN")):
        if " pip " in step.words and step not in from_locks:
            assert "--no-deps --no-index" in step.words, step


def test_the_lock_files_of_the_image_have_the_versions_that_are_tested() -> None:
    whole = pins("requirements-dev.lock")
    for lock in ("deploy/requirements.lock", "deploy/build.lock"):
        for name, pinned in pins(lock).items():
            assert whole.get(name, pinned) == pinned, f"{lock}: {name}: run `make lock`"
            try:
                assert version(name) == pinned, f"{name} here is not {lock}'s"
            except PackageNotFoundError:
                pytest.fail(f"{lock}: {name} is not installed here, so it was not tested")
    image = pins("deploy/requirements.lock")
    assert {"asyncpg", "psycopg", "procrastinate", "obstore", "twilio"} <= image.keys()
    assert not {"ctranslate2", "pytest", "litellm-proxy"} & image.keys()


def test_the_image_runs_as_another_user_with_its_data_in_one_folder() -> None:
    build, final = read_containerfile()
    environment = environment_of(final)

    assert build.base == "${BASE} AS build"
    assert final.base == "${BASE}"
    assert final.one("USER").words == f"{USER}:{USER}"
    assert final.steps.index(final.one("USER")) > max(map(final.steps.index, final.all("RUN")))
    assert {name for name in environment if name.startswith(PREFIX)} <= {
        f"{PREFIX}{name.upper()}" for name in Settings.model_fields
    }
    assert environment["ASSISTANT_DATA_DIR"] == "/var/lib/meanwhile"
    assert final.one("ENTRYPOINT").arguments == ["assistant"]
    assert final.one("CMD").arguments == ["serve", "--host", "0.0.0.0", "--port", final.one("EXPOSE").words]  # noqa: S104


def test_the_image_of_a_project_has_the_folders_that_a_new_project_has(tmp_path: Path) -> None:
    (project,) = read_containerfile(ROOT / "deploy" / "project.Containerfile")
    new(tmp_path / "shop")
    folders = {file.name for file in (tmp_path / "shop").iterdir() if file.is_dir()}

    assert {step.arguments[0].rstrip("/") for step in project.all("COPY")} == folders - {"tests"}


def _health_check(final: Stage, port: int) -> list[str]:
    check = final.one("HEALTHCHECK").words.partition(" CMD ")[2]
    program, *words = Step("CMD", check).arguments
    assert program == "python"
    return [word.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for word in words]


# As ``--read-only`` with volumes for /tmp and the data, the first process of its own, an unknown user.
_CONTAINER = """
set -e
mount --make-rprivate /
mount --bind "$ROOT/var/lib/meanwhile" "$ROOT/var/lib/meanwhile"
mount -o remount,bind,ro /
mount --bind -o rw "$ROOT/var/lib/meanwhile" "$ROOT/var/lib/meanwhile"
mount -t tmpfs tmpfs "$ROOT/tmp"
chmod 1777 "$ROOT/tmp"
cd "$ROOT/app"
exec setpriv --reuid "$RUN_AS" --regid "$RUN_AS" --clear-groups \\
    --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
"""


def _may_make_containers() -> str | None:
    """Why this machine does not let us make namespaces; None if it does."""
    command = [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
        "mount -o remount,bind,ro /",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except OSError as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip()


def _others_may_use_this_python() -> bool:
    """Not where it is in a home folder: then the server runs as root, without any of root's capabilities."""
    command = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", sys.executable, "-c"]
    return (
        subprocess.run([*command, "import fastapi, uvloop"], capture_output=True, check=False).returncode == 0
    )


async def test_it_serves_on_a_read_only_file_system_as_the_first_process(image: Path) -> None:
    if (why := _may_make_containers()) is not None:
        pytest.skip(f"this machine does not let us make a read-only file system of our own: {why}")
    _, final = read_containerfile()
    port, user = free_port(), USER if _others_may_use_this_python() else 0
    words = [below(image, word) for word in final.one("CMD").arguments]
    words[words.index("0.0.0.0")] = "127.0.0.1"  # noqa: S104
    words[words.index("8000")] = str(port)
    environment = {name: below(image, value) for name, value in environment_of(final).items()}
    environment |= {
        "ROOT": str(image),
        "RUN_AS": str(user),
        "PATH": f"{image}/opt/meanwhile/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "TMPDIR": str(image / "tmp"),
        "ASSISTANT_VOICE": "false",
    }
    program = str(image / "opt/meanwhile/bin" / final.one("ENTRYPOINT").arguments[0])
    server = await asyncio.create_subprocess_exec(
        *("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"),
        *("sh", "-c", _CONTAINER, "sh", program, *words),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert server.stdout is not None
    try:
        async with asyncio.timeout(90):
            ready = (await server.stdout.readline()).decode()
        if not ready:
            _, errors = await server.communicate()
            pytest.fail(errors.decode())
        async with asyncio.timeout(60):
            while (code := await _health(_health_check(final, port))) != 0:
                assert code == 1
                await asyncio.sleep(0.2)
        _, errors = await _stopped(server)
    finally:
        if server.returncode is None:
            server.kill()
        await server.wait()

    assert ready.startswith(f"Meanwhile is ready: http://127.0.0.1:{port}")
    assert server.returncode == 0, errors
    assert "Traceback" not in errors
    assert (image / "var/lib/meanwhile/log.db").stat().st_uid == user
    assert await _health(_health_check(final, port)) == 1, "the check fails when no one serves"


async def _health(words: list[str]) -> int:
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stderr=subprocess.DEVNULL)
    return await process.wait()


async def _stopped(server: asyncio.subprocess.Process) -> tuple[str, str]:
    """Send SIGTERM to the first process of the namespace, as an engine does, and wait for its end."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGTERM)
    async with asyncio.timeout(30):
        output, errors = await server.communicate()
    return output.decode(), errors.decode()
