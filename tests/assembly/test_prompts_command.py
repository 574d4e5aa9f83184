"""``assistant prompts``, for prompt editors, also while a server runs."""

import asyncio
import re
import sqlite3
from contextlib import closing

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.testing.script import calls, says
from tests.assembly.conftest import AppFolder, Open


@pytest.fixture(autouse=True)
def environment(app_folder: AppFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs in the installation's folder."""
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(app_folder.folder))
    monkeypatch.setenv("ASSISTANT_MODEL", "openai/scripted")
    monkeypatch.setenv("COLUMNS", "300")


async def prompts(*words: str) -> Result:
    """Run the command, as a process of its own would."""
    return await asyncio.to_thread(CliRunner().invoke, app, ["prompts", *words])


async def rendered(name: str, *words: str) -> str:
    """What ``render`` prints."""
    result = await prompts("render", name, *words)
    assert result.exit_code == 0, result.output
    return result.stdout


async def refused(*words: str) -> str:
    """What is wrong with these words, on one line."""
    result = await prompts(*words)
    assert result.exit_code != 0
    said = result.output if isinstance(result.exception, SystemExit) else str(result.exception)
    return re.sub(r"[\s│]+", " ", said)


async def served(app_folder: AppFolder) -> Open:
    """A conversation of two turns, on a warm tone; meanwhile the tone was made dry."""
    app_folder.speaks("warm")
    serving = await app_folder.starts(calls("count_points"), says("Seven."), says("You are welcome."))
    await serving.hears("c-1", "How many points do I have?")
    await serving.hears("c-1", "Thanks")
    app_folder.speaks("dry")
    return serving


async def test_the_list_shows_who_reads_each_prompt_and_its_values(app_folder: AppFolder) -> None:
    app_folder.write(
        "prompts/customers/de/apology.j2",
        (app_folder.folder / "prompts" / "customers/en/apology.j2").read_text(),
    )
    lines = (await prompts("list")).stdout.splitlines()

    assert (
        lines[lines.index("models/narrator  (models)") + 1]
        == "    tells the customer what came of the calls."
    )
    assert "more_calls (true or false)" in lines[lines.index("models/narrator  (models)") + 2]
    apology = lines.index("customers/en/apology  (customers, also in de, es, fr, it, nl, pl, pt, sv, tr)")
    assert lines[apology + 2].startswith("    given: reason ('decision_failed' or 'unreachable' or 'cut' or")
    assert lines[lines.index("voice.toml") + 1].strip().startswith("The company's voice")
    assert lines[lines.index("models/_spoken.j2") + 1].strip().startswith("Included where a model writes")


async def test_a_missing_file_is_taken_from_the_package(app_folder: AppFolder) -> None:
    before = (await prompts("list")).stdout
    (app_folder.folder / "prompts" / "customers/en/apology.j2").unlink()

    assert (await prompts("list")).stdout == before
    assert (await prompts("check")).exit_code == 0


async def test_a_shipped_file_is_copied_for_editing_and_overwrites_nothing(
    app_folder: AppFolder,
) -> None:
    place = app_folder.folder / "prompts" / "customers/en/apology.j2"
    theirs = place.read_text(encoding="utf-8")
    place.unlink()

    assert (await prompts("copy", "apology")).stdout == "Written: prompts/customers/en/apology.j2.\n"
    assert place.read_text(encoding="utf-8") == theirs
    refused = (await prompts("copy", "apology")).exception
    assert str(refused) == "prompts/customers/en/apology.j2: there already; edit it, or remove it first"
    assert "no file is called 'apologie'" in (await prompts("copy", "apologie")).stderr


async def test_correct_prompts_have_the_bundle_id_that_a_server_gives_them(
    app_folder: AppFolder,
) -> None:
    result = await prompts("check")

    assert result.exit_code == 0
    assert result.stdout.endswith(
        f"files, no mistakes. Bundle {(await app_folder.starts()).configs.newest.bundle}.\n"
    )


async def test_every_mistake_is_reported_and_the_command_fails(app_folder: AppFolder) -> None:
    app_folder.write("prompts/models/decider.j2", "Hello.\n{{ tody }}")
    app_folder.write("prompts/voice.toml", "name =")

    result = await prompts("check")

    assert result.exit_code == 1
    assert {line.split(": ")[0] for line in result.stdout.splitlines()} == {
        "prompts/models/decider.j2:2",
        "prompts/voice.toml:1",
    }


async def test_a_prompt_is_shown_with_given_values(app_folder: AppFolder) -> None:
    assert await rendered("read_back", "--set", "clauses=cancel it", "--set", "first_time=yes") == (
        "Shall I cancel it?\n"
    )
    assert "cancel it and book it" in await rendered(
        "customers/en/read_back.j2", "--set", 'clauses=["cancel it", "book it"]'
    )
    assert "It is Monday, March 2 at 2 pm" in await rendered("decider", "--set", "now=2026-03-02T14:00")
    assert await rendered(
        "default_clause", "--set", 'hint={"doing": "", "will": "fly"}', "--set", "arguments=[]"
    ) == ("fly\n")


async def test_a_prompt_is_shown_as_the_model_got_it_or_with_the_edit(app_folder: AppFolder) -> None:
    serving = await served(app_folder)
    told = [f"{request.view.instructions}\n" for request in serving.model.requests]

    assert await rendered("decider", "--conversation", "c-1") == told[2]
    assert await rendered("decider", "--conversation", "last") == told[2]
    assert await rendered("decider", "--conversation", "c-1", "--turn", "t1") == told[0]
    assert await rendered("narrator", "--conversation", "c-1") == told[1]
    assert "Your tone is warm." in told[1]
    assert await rendered("narrator", "--conversation", "c-1", "--edited") == told[1].replace(
        "Your tone is warm.", "Your tone is dry."
    )


async def test_prompts_that_are_not_stored_are_replaced_by_todays_with_a_notice(
    app_folder: AppFolder,
) -> None:
    await served(app_folder)
    with closing(sqlite3.connect(app_folder.log_file)) as log:
        log.execute("DELETE FROM bundles")
        log.commit()

    result = await prompts("render", "narrator", "--conversation", "c-1")

    assert "Your tone is dry." in result.stdout
    assert "were not kept; these are today's" in result.stderr


async def test_a_wrong_option_is_reported_with_the_allowed_ones(app_folder: AppFolder) -> None:
    await served(app_folder)
    of = ("--conversation", "c-1")

    assert "no prompt is called 'narator'; there are: models/decider, models/narrator," in await refused(
        "render", "narator"
    )
    assert "'to' is not given to models/decider.j2; it has: now," in await refused(
        "render", "decider", "--set", "to=1"
    )
    assert "now='soon': should be a time such as" in await refused("render", "decider", "--set", "now=soon")
    assert "first_time='?': should be true or false" in await refused(
        "render", "read_back", "--set", "first_time=?"
    )
    assert "'now' has no '='; write name=value" in await refused("render", "decider", "--set", "now")
    assert "goes with --conversation ID" in await refused("render", "decider", "--edited")
    assert "a conversation brings its own values" in await refused("render", "decider", "--set", "a=1", *of)
    assert "only decider and narrator" in await refused("render", "apology", *of)
    assert "none that begins with 'c-2'; there are:" in await refused(
        "render", "decider", "--conversation", "c-2"
    )
    assert "no narrator was asked in turn 't2'" in await refused("render", "narrator", "--turn", "t2", *of)


async def test_a_folder_without_a_log_is_reported(app_folder: AppFolder) -> None:
    assert "ASSISTANT_DATA_DIR right" in await refused("render", "decider", "--conversation", "c-1")
