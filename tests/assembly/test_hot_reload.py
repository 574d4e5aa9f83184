"""Prompts and tools are edited while customers talk."""

import asyncio
import gc
import os
import re
import shutil
import sqlite3
import weakref
from contextlib import closing

import pytest
from structlog.testing import capture_logs

from assistant.assembly.hot_reload import STILL_S, SURE_S
from assistant.conversation.entries import TurnStarted
from assistant.errors import DeclarationError
from assistant.sessions.listeners import Notice
from assistant.sessions.session import Session
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.assembly.conftest import TOOL, AppFolder


def bundles(session: Session) -> list[str]:
    """What the conversation's log says that its turns ran on."""
    return [one.entry.bundle for one in session.entries if isinstance(one.entry, TurnStarted)]


async def test_an_edited_voice_is_for_new_conversations_only(app_folder: AppFolder) -> None:
    app_folder.speaks("warm")
    serving = await app_folder.starts(says("One."), says("Two."), says("Three."))
    await serving.hears("old")
    begun_on = serving.configs.newest.bundle

    app_folder.speaks("dry")
    await serving.configs.look()
    await serving.hears("old")
    assert "Your tone is warm." in serving.told
    await serving.hears("new")
    assert "Your tone is dry." in serving.told

    assert bundles(await serving.conversation("old")) == [begun_on, begun_on]
    assert bundles(await serving.conversation("new")) == [serving.configs.newest.bundle] != [begun_on]
    assert serving.notices == [Notice(problem=False, message="loaded: prompts/voice.toml")]


async def test_an_opened_conversation_begins_on_the_newest_configuration(
    app_folder: AppFolder,
) -> None:
    serving = await app_folder.starts(says("Hello."))
    await serving.conversation("opened")

    app_folder.speaks("dry")
    await serving.configs.look()
    await serving.hears("opened")

    assert "Your tone is dry." in serving.told


async def test_a_broken_template_is_refused_with_its_line_and_then_repaired(app_folder: AppFolder) -> None:
    serving = await app_folder.starts(says("Still here."), says("Repaired."))
    before = serving.configs.newest
    good = (app_folder.folder / "prompts" / "models/decider.j2").read_text()
    app_folder.write("prompts/models/decider.j2", "Speak {{ language }}, it is {{ now }}.\n{{ tody }}\n")

    with capture_logs() as logged:
        await serving.configs.look()
        await serving.configs.look()

    wrong = "prompts/models/decider.j2:2: unknown variable 'tody'"
    assert serving.configs.problem is not None
    assert serving.configs.problem.startswith(wrong)
    assert serving.notices == [Notice(problem=True, message=serving.configs.problem)]
    assert [(line["log_level"], line["why"][: len(wrong)]) for line in logged] == [("warning", wrong)]
    assert serving.configs.newest is before
    await serving.hears("a")

    app_folder.write("prompts/models/decider.j2", f"{good}\nBe quick.")
    await serving.configs.look()
    await serving.hears("b")

    assert serving.told.endswith("Be quick.")
    assert serving.configs.problem is None
    assert serving.notices[1:] == [
        Notice(problem=False, message="repaired and loaded: prompts/models/decider.j2")
    ]


async def test_a_mistake_that_is_undone_changes_nothing(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest
    good = app_folder.voice.read_text()
    app_folder.write("prompts/voice.toml", "name = ")
    await serving.configs.look()

    app_folder.write("prompts/voice.toml", good)
    with capture_logs() as logged:
        await serving.configs.look()

    assert logged == [{"event": "edit taken back", "bundle": before.bundle, "log_level": "info"}]
    assert serving.configs.newest is before
    assert [one.problem for one in serving.notices] == [True, False]
    assert serving.notices[1].message == "as it was before the mistake"


async def test_saving_a_file_without_a_change_loads_nothing(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest
    app_folder.voice.write_text(app_folder.voice.read_text())
    (app_folder.folder / "prompts" / ".#voice.toml").symlink_to("nobody@nowhere")
    app_folder.write("prompts/notes.txt", "not a prompt")
    app_folder.write("tools/points.csv", "7")

    await serving.configs.look()

    assert serving.configs.newest is before
    assert serving.notices == []


async def test_an_editor_that_locks_a_file_does_not_disturb_other_files(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    (app_folder.folder / "prompts" / "models" / ".#narrator.j2").symlink_to("nobody@nowhere")
    (app_folder.tools / ".#points.py").symlink_to("nobody@nowhere")

    app_folder.speaks("dry")
    app_folder.write("tools/_crm.py", "POINTS = 8")
    await serving.configs.look()

    assert serving.notices == [Notice(problem=False, message="loaded: prompts/voice.toml, tools/_crm.py")]


@pytest.mark.parametrize("after_s", [0, STILL_S / 2, STILL_S + SURE_S / 2])
async def test_a_half_written_file_causes_no_warning(app_folder: AppFolder, after_s: float) -> None:
    app_folder.speaks("dry")
    whole = app_folder.voice.read_text()
    app_folder.speaks("warm")
    serving = await app_folder.starts()
    app_folder.write("prompts/voice.toml", "")

    looking = asyncio.create_task(serving.configs.look())
    await asyncio.sleep(after_s)
    app_folder.write("prompts/voice.toml", whole)
    await looking

    assert serving.notices == [Notice(problem=False, message="loaded: prompts/voice.toml")]
    assert serving.configs.newest.deps.book.voice.tone == "dry"


async def test_an_edited_tool_is_used_only_by_new_conversations(app_folder: AppFolder) -> None:
    ask, tell = calls("count_points"), says("Counted.")
    serving = await app_folder.starts(*(ask, tell) * 4)
    await serving.hears("old", "How many points?")

    app_folder.write("tools/_crm.py", "POINTS = 8")
    await serving.configs.look()
    for name in ("old", "new"):
        assert "[count_points ok]" in await serving.hears(name, "How many points?")

    values = [
        [getattr(outcome, "value", None) for turn in session.state.turns for outcome in turn.results]
        for session in [await serving.conversation("old"), await serving.conversation("new")]
    ]
    assert values == [[7, 7], [8]]


async def test_conversations_that_have_a_removed_tool_keep_it(app_folder: AppFolder) -> None:
    serving = await app_folder.starts(
        calls("count_points"), says("Seven."), says("None."), calls("count_points"), says("Seven.")
    )
    await serving.hears("old", "How many points?")

    (app_folder.tools / "points.py").unlink()
    with capture_logs() as logged:
        await serving.configs.look()
    await serving.hears("new", "How many points?")
    assert serving.offered == []

    assert await serving.hears("old", "And now?") == scene("""
        Assistant (acknowledgement): Let me find out. I'll count your points.
          [count_points ok]
        Assistant: Seven.
    """)
    old, new = [await serving.conversation(name) for name in ("old", "new")]
    assert [each.doing("count_points", "en") for each in (old, new)] == ["counting your points", ""]
    assert "no tools, so nothing can be looked up" in [line["event"] for line in logged]


async def test_an_edit_with_a_mistake_in_a_tool_is_refused_as_a_whole(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest
    app_folder.speaks("dry")
    app_folder.write("tools/twice.py", TOOL.format(name="count_points"))
    app_folder.write("tools/wrong.py", "import nowhere_to_be_found")

    await serving.configs.look()

    assert serving.configs.newest is before
    assert serving.configs.problem == (
        "tools/twice.py:7: tool 'count_points': is declared at tools/points.py:7 already; rename one of them\n"
        "tools/wrong.py:1: cannot import: No module named 'nowhere_to_be_found'; install it, or correct the name"
    )


async def test_unedited_tools_are_not_imported_again(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest.deps

    app_folder.speaks("dry")
    await serving.configs.look()
    middle = serving.configs.newest.deps
    app_folder.write("tools/_crm.py", "POINTS = 8")
    await serving.configs.look()
    after = serving.configs.newest.deps

    assert middle.tools is before.tools
    assert middle.book is not before.book
    assert after.tools is not middle.tools
    assert after.book is middle.book


async def test_a_conversation_keeps_its_version_across_a_restart(app_folder: AppFolder) -> None:
    app_folder.speaks("warm")
    before = await app_folder.starts(says("One."), says("Never heard.", first_s=9))
    await before.hears("old")
    asked = await before.conversation("old")
    await asked.say(client_message_id="m2", text="Are you there?", locale="en")
    await asyncio.sleep(1)
    await before.sessions.close(0)  # as a kill does: the turn has no end
    app_folder.speaks("dry")

    after = await app_folder.starts(says("Here I am."), says("Three."), says("Four."))
    await after.sessions.resume_unfinished()
    session = await after.conversation("old")
    await session.answered()
    assert "Your tone is warm." in after.told
    await after.hears("old")
    assert "Your tone is warm." in after.told
    await after.hears("new")
    assert "Your tone is dry." in after.told
    assert len({*bundles(session)}) == 1
    assert await after.configs.version_of(session.config.bundle) is session.config


async def test_after_a_restart_todays_tools_are_used_and_the_log_says_so(app_folder: AppFolder) -> None:
    before = await app_folder.starts(says("One."))
    await before.hears("old")
    app_folder.write("tools/_crm.py", "POINTS = 8")

    after = await app_folder.starts(calls("count_points"), says("Eight."))
    with capture_logs() as logged:
        await after.hears("old", "How many points?")

    session = await after.conversation("old")
    assert session.config.deps.book is after.configs.newest.deps.book
    assert session.config.bundle == before.configs.newest.bundle != after.configs.newest.bundle
    told = [line for line in logged if line["event"] == "conversation continues with today's tools"]
    assert [line["bundle"] for line in told] == [session.config.bundle]


async def test_a_conversation_without_stored_prompts_continues_with_the_newest(
    app_folder: AppFolder,
) -> None:
    before = await app_folder.starts(says("One."))
    await before.hears("old")
    with closing(sqlite3.connect(app_folder.log_file)) as log:
        log.execute("DELETE FROM bundles")
        log.commit()
    app_folder.speaks("dry")
    after = await app_folder.starts(says("Two."), says("Three."))

    with capture_logs() as logged:
        await after.hears("old")
    app_folder.speaks("curt")
    await after.configs.look()
    await after.hears("old")

    assert [line["event"] for line in logged][:1] == ["bundle was not kept; the newest is used"]
    assert "Your tone is dry." in after.told


async def test_prompts_that_this_release_cannot_use_are_replaced_by_the_newest(app_folder: AppFolder) -> None:
    before = await app_folder.starts(says("One."))
    await before.hears("old")
    with closing(sqlite3.connect(app_folder.log_file)) as log:
        log.execute("""UPDATE bundles SET prompts = '{"voice.toml": ""}'""")
        log.commit()
    app_folder.speaks("dry")
    after = await app_folder.starts(says("Two."))

    with capture_logs() as logged:
        await after.hears("old")

    assert "Your tone is dry." in after.told
    assert [line["why"].partition(":")[0] for line in logged if "why" in line] == [
        f"bundle {before.configs.newest.bundle}/voice.toml"
    ]


@pytest.mark.usefixtures("everything_is_collected")
async def test_a_version_that_no_conversation_uses_is_dropped(app_folder: AppFolder) -> None:
    serving = await app_folder.starts(says("One."))
    await serving.hears("old")
    app_folder.speaks("dry")
    await serving.configs.look()
    old = weakref.ref((await serving.conversation("old")).config)

    gc.collect()
    assert old() is not None
    await serving.sessions.close()
    await asyncio.sleep(1)
    gc.collect()

    assert old() is None


async def test_an_edit_that_is_undone_gives_the_earlier_version(app_folder: AppFolder) -> None:
    serving = await app_folder.starts(says("One."))
    app_folder.speaks("warm")
    await serving.configs.look()
    await serving.hears("old")
    first = (await serving.conversation("old")).config

    for tone in ("dry", "warm"):
        app_folder.speaks(tone)
        await serving.configs.look()

    assert serving.configs.newest is first


async def test_a_version_that_cannot_be_stored_is_not_used(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest
    with closing(sqlite3.connect(app_folder.log_file)) as log:
        log.execute("DROP TABLE bundles")

    app_folder.speaks("dry")
    await serving.configs.look()

    assert serving.configs.newest is before
    assert serving.configs.problem is not None
    assert "no such table: bundles" in serving.configs.problem


async def test_a_version_is_warmed_once_before_it_is_used(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    for tone, warmed in (("dry", 1), ("curt", 2)):
        app_folder.speaks(tone)
        await serving.configs.look()
        assert serving.model.warmed == warmed

    app_folder.write("prompts/voice.toml", "")
    await serving.configs.look()
    app_folder.write("tools/points.csv", "no news")
    await serving.configs.look()

    assert serving.model.warmed == 2


async def test_two_concurrent_checks_load_an_edit_once(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    app_folder.speaks("dry")

    await asyncio.gather(serving.configs.look(), serving.configs.look())

    assert len(serving.notices) == 1


async def test_an_edit_that_reveals_a_bug_stops_nothing(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest
    app_folder.broken = RuntimeError("no such luck")

    app_folder.speaks("dry")
    await serving.configs.look()

    assert serving.configs.newest is before
    assert serving.configs.problem == "RuntimeError: no such luck"


async def test_a_file_that_is_edited_during_the_read_is_read_again(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    app_folder.edited_meanwhile = lambda: app_folder.speaks("curt")

    app_folder.speaks("dry")
    await serving.configs.look()

    assert serving.configs.newest.deps.book.voice.tone == "curt"
    assert len(serving.notices) == 1


async def test_an_unreadable_file_is_reported(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    (app_folder.folder / "prompts" / "_mine.j2").mkdir()
    (app_folder.folder / "prompts" / "_yours.j2").write_bytes(b"\xff\xfe")

    await serving.configs.look()

    assert serving.configs.problem is not None
    assert serving.configs.problem.startswith("prompts/_mine.j2:1: cannot be read: Is a directory")


async def test_successive_conversations_share_one_earlier_version(app_folder: AppFolder) -> None:
    before = await app_folder.starts(says("One."), says("Two."))
    for name in ("a", "b"):
        await before.hears(name)
    app_folder.speaks("dry")
    after = await app_folder.starts()

    one, other = await asyncio.gather(*(after.conversation(name) for name in ("a", "b")))

    assert one.config is other.config is not after.configs.newest


async def test_a_missing_folder_is_reported_and_found_again(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    prompts = app_folder.folder / "prompts"
    shutil.move(prompts, app_folder.folder / "aside")

    await serving.configs.look()
    assert serving.configs.problem == (
        "prompts: there is no such folder; set ASSISTANT_PROMPTS_DIR to the prompts' folder"
    )
    shutil.move(app_folder.folder / "aside", prompts)
    await serving.configs.look()

    assert serving.configs.problem is None


async def test_a_removed_listener_receives_nothing_more(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    heard: list[Notice] = []
    stop = serving.configs.notices.listen(heard.append)
    stop()
    stop()

    app_folder.speaks("dry")
    await serving.configs.look()

    assert heard == []
    assert len(serving.notices) == 1


async def test_a_tool_in_an_endless_loop_is_stopped_and_reported_with_its_line(app_folder: AppFolder) -> None:
    app_folder.reading_s = 0.3
    serving = await app_folder.starts()
    before = serving.configs.newest
    app_folder.write(
        "tools/round.py", "while True:\n    try:\n        pass\n    except Exception:\n        pass\n"
    )

    await serving.configs.look()

    assert serving.configs.newest is before
    assert re.fullmatch(
        r"tools/round\.py:[1-5]: stops with TookTooLong: it takes too long; nothing may fail at import",
        serving.configs.problem or "",
    )
    (app_folder.tools / "round.py").unlink()
    await serving.configs.look()
    assert serving.configs.problem is None


async def test_a_tool_that_waits_at_import_is_refused_with_its_line(app_folder: AppFolder) -> None:
    app_folder.reading_s = 0.3
    serving = await app_folder.starts()
    app_folder.write(
        "tools/_waiting.py",
        "import time\ntry:\n    time.sleep(1)\nexcept BaseException:\n    pass\n",
    )
    app_folder.write("tools/points.py", f"from tools import _waiting\n{TOOL.format(name='count_points')}")

    await serving.configs.look()
    app_folder.write("tools/_waiting.py", "")
    await serving.configs.look()

    assert [one.message for one in serving.notices] == [
        "tools/_waiting.py:3: stops with TookTooLong: it takes too long; nothing may fail at import",
        "repaired and loaded: tools/_waiting.py, tools/points.py",
    ]


ENDS = {
    "raise KeyboardInterrupt": "stops with KeyboardInterrupt: ; nothing may fail at import",
    "raise GeneratorExit": "stops with GeneratorExit: ; nothing may fail at import",
    "import asyncio; raise asyncio.CancelledError": "stops with CancelledError: ; nothing may fail at import",
    "class Odd(BaseException): ...\nraise Odd('x')": "stops with Odd: x; nothing may fail at import",
    "import os; os._exit(0)": "stops with RuntimeError: os._exit(0) would end the whole process; raise an exception"
    " instead; nothing may fail at import",
    "import os; os.kill(0, 9)": "ends the process by signal 9; nothing may fail at import",
    "import ctypes; ctypes.string_at(0)": "ends the process by signal 11; nothing may fail at import",
}


@pytest.mark.slow
async def test_a_tool_that_misbehaves_at_import_is_refused_and_can_be_fixed(
    app_folder: AppFolder,
) -> None:
    serving = await app_folder.starts()
    before = serving.configs.newest
    wrong: dict[str, str | None] = {}
    for source, problem in ENDS.items():
        app_folder.write("tools/odd.py", source)
        await serving.configs.look()
        line = 1 + source.count("\n")
        if (
            serving.configs.problem != f"tools/odd.py:{line}: {problem}"
            or serving.configs.newest is not before
        ):
            wrong[source] = serving.configs.problem
    assert wrong == {}

    app_folder.write("tools/odd.py", TOOL.format(name="count_more"))
    await serving.configs.look()
    assert serving.notices[-1] == Notice(problem=False, message="repaired and loaded: tools/odd.py")


async def test_only_regular_files_are_read(app_folder: AppFolder) -> None:
    serving = await app_folder.starts()
    elsewhere = app_folder.folder / "elsewhere.py"
    elsewhere.write_text(TOOL.format(name="count_more"))
    for name in ("tools/pipe.py", "tools/pipe.toml", "prompts/pipe.j2"):
        os.mkfifo(app_folder.folder / name)
    (app_folder.tools / "linked.py").symlink_to(elsewhere)
    (app_folder.tools / "zero.py").symlink_to("/dev/zero")

    with capture_logs() as logged:
        await serving.configs.look()
        await serving.configs.look()

    assert serving.notices == [Notice(problem=False, message="loaded: tools/linked.py")]
    assert [line["file"] for line in logged if line["event"].startswith("left out")] == [
        "prompts/pipe.j2",
        "tools/pipe.py",
        "tools/pipe.toml",
        "tools/zero.py",
    ]
    await app_folder.starts()  # neither is a start kept waiting


async def test_an_app_with_a_mistake_does_not_start(app_folder: AppFolder) -> None:
    app_folder.write("prompts/models/decider.j2", "{{ tody }}")

    with pytest.raises(DeclarationError, match=r"prompts/models/decider\.j2:1: unknown variable 'tody'"):
        await app_folder.starts()


async def test_a_doubtful_hint_causes_one_warning_with_its_sentence(app_folder: AppFolder) -> None:
    app_folder.write(
        "tools/stay.py", TOOL.format(name="stay").replace("counting your points", "planning your stay")
    )
    with capture_logs() as logged:
        serving = await app_folder.starts(says("Hello."))
    warned = [line["warning"] for line in logged if line["event"] == "look at this tool"]

    assert len(warned) == 1
    assert warned[0].startswith("tools/stay.py:")
    assert "\"Sure, I'll plan your stay." in warned[0]

    app_folder.speaks("dry")
    with capture_logs() as logged:
        await serving.configs.look()
    assert [line["event"] for line in logged] == ["edit loaded"]


async def test_an_edited_policy_is_loaded_and_a_wrong_one_refused(app_folder: AppFolder) -> None:
    serving = await app_folder.starts(says("One."), says("Two."))
    await serving.hears("old")

    app_folder.write("policies/open.md", '+++\ntools = "count_points"\n+++\n1. Be kind.')
    await serving.configs.look()
    app_folder.write("policies/open.md", '+++\ntools = "no_such_tool"\n+++\n1. Be kind.')
    await serving.configs.look()
    await serving.hears("new")

    assert [policy.name for policy in serving.configs.newest.deps.policies] == ["open"]
    assert bundles(await serving.conversation("new")) != bundles(await serving.conversation("old"))
    assert serving.notices[0] == Notice(problem=False, message="loaded: policies/open.md")
    assert "policies/open.md:1: tools: there is no tool 'no_such_tool'" in serving.notices[1].message
