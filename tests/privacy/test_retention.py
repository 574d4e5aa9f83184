"""Each kind of data is deleted after its own time, and the rest still works."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import orjson
import pytest
from structlog.testing import capture_logs

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    DecisionClosed,
    Logged,
    ModelChunks,
    TurnEnded,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.errors import AssistantError, LogError, StoreError
from assistant.privacy.retention import EVERY_H, delete_expired, retention_kind
from assistant.prompts.book import shipped_book
from assistant.replay.recording.recorder import cassette_from_log, not_replayable
from assistant.server.projector import Projector, snapshot
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.staff.audit import AuditRecord
from assistant.store.memory_log import MemoryLog
from assistant.store.storage import Recording
from assistant.testing.chat import ANA, deps_for
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from tests.privacy.conftest import DataFolder
from tests.privacy.planted import Words, raw
from tests.replay.recording.test_logs import KEY, LOOKUP, asked, begins, log, said

DAY_S = 24 * 3600.0
FOR_GOOD = {"keep_model_replies_days": None, "keep_tool_results_days": None, "keep_uploads_days": None}


@dataclass
class Nobody:
    """Has nothing open, or what a test says."""

    open: Collection[ConversationKey] = field(default_factory=list[ConversationKey])

    def close_idle(self, before_ms: int) -> Collection[ConversationKey]:
        assert before_ms > 0
        return self.open


def settings(data_folder: DataFolder, **days: int | None) -> Settings:
    return Settings(data_dir=data_folder.folder, **{**FOR_GOOD, **days})  # pyright: ignore[reportArgumentType]


async def after(
    data_folder: DataFolder, days: float, live: Nobody | SessionRegistry | None = None, **keep: int | None
) -> dict[str, int]:
    """Delete, this number of days later, what ``keep`` no longer retains of each kind."""
    await data_folder.clock.sleep(days * DAY_S)
    return await delete_expired(
        settings(data_folder, **keep),
        data_folder.storage,
        data_folder.library,
        live or Nobody(),
        data_folder.clock,
    )


async def test_old_text_is_deleted_with_its_recordings(data_folder: DataFolder) -> None:
    old, new = Words("old"), Words("new")
    await data_folder.moves_in(old, "ana")
    await data_folder.clock.sleep(20 * DAY_S)
    await data_folder.moves_in(new, "ben")

    assert not any((await after(data_folder, 9.9, keep_conversations_days=30)).values())
    with capture_logs() as logged:
        gone = await after(data_folder, 0.2, keep_conversations_days=30)

    assert gone == {"conversations": 1, "recordings": 1, "documents": 0}
    assert logged == [{"event": "let go of what was old", "log_level": "info", **gone}]
    left = raw(data_folder.folder, but=lambda path: path.name == "deliveries.db")
    assert {place for place in old.found_in(left) if "file" not in place and "result" not in place} <= {
        "conversation's id",
        "what was wrong with it",
    }
    assert new.found_in(left) == set(new.planted)


async def test_deleted_data_cannot_be_recovered(data_folder: DataFolder) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")

    gone = await after(data_folder, 80, keep_conversations_days=None)

    assert gone == {"documents": 0}
    assert ana.found_in(raw(data_folder.folder)) == set(ana.planted)


async def test_records_of_staff_are_kept_as_long_as_is_set(data_folder: DataFolder) -> None:
    at_ms = data_folder.clock.now_ms()
    seen = AuditRecord(tenant="demo", at_ms=at_ms, account="k1", login="kim", action="conversations.read")
    await data_folder.storage.audit.add_record(seen)

    assert "staff_records" not in await after(data_folder, 80, keep_audit_days=None)
    assert (await after(data_folder, 9.9, keep_audit_days=90))["staff_records"] == 0
    assert (await after(data_folder, 0.2, keep_audit_days=90))["staff_records"] == 1

    assert await data_folder.storage.audit.list_records("demo", before=None, limit=9) == []


async def test_models_replies_lose_their_text(data_folder: DataFolder) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")
    assert (await after(data_folder, 29.9, keep_model_replies_days=30))["model_replies"] == 0

    assert (await after(data_folder, 0.2, keep_model_replies_days=30))["model_replies"] == 1

    gone = {"raw chunk", "raw arguments"}
    assert ana.found_in(raw(data_folder.folder)) == set(ana.planted) - gone


async def test_full_results_leave_the_log_and_the_documents(data_folder: DataFolder) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")
    before = await data_folder.library.documents("shop", "ana")
    assert (await after(data_folder, 89.9, keep_tool_results_days=90))["full_results"] == 0

    gone = await after(data_folder, 0.2, keep_tool_results_days=90)

    assert gone["full_results"] == 2  # the large one, and the one with media
    assert gone["documents"] == len(before)  # the files with them, which are kept as long here
    left = ana.found_in(raw(data_folder.folder))
    assert {"large result", "media"} & left == set()
    assert {"small result", "snapshot by a model", "answer", "media's name"} <= left


async def test_customers_files_are_deleted(data_folder: DataFolder) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")
    assert (await after(data_folder, 89.9))["documents"] == 0

    assert (await after(data_folder, 0.2))["documents"] > 0

    left = ana.found_in(raw(data_folder.folder))
    assert {place for place in left if "file" in place} == {"attached file's name"}


async def test_an_open_conversation_is_not_forgotten(data_folder: DataFolder) -> None:
    ana = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
    model = ScriptedModel(says("Hello."), says("Still here."), clock=data_folder.clock)
    sessions = SessionRegistry(
        FixedConfig(deps_for(model, [], shipped_book(), data_folder.clock)), data_folder.log, epoch="1"
    )
    session = await sessions.open(ana, ANA)
    leave = session.listen(lambda _: None)
    await session.say(client_message_id="m1", text="Hi", locale="en")
    await session.answered()

    assert (await after(data_folder, 31, sessions, keep_conversations_days=30))["conversations"] == 0

    await session.say(client_message_id="m2", text="Are you there?", locale="en")
    await session.answered()
    assert not session.failed
    leave()
    assert (await after(data_folder, 31, sessions, keep_conversations_days=30))["conversations"] == 1
    assert (await sessions.open(ana, ANA)).entries == []
    await sessions.close()


async def test_a_recording_elsewhere_is_named_once_and_not_deleted(
    data_folder: DataFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "ana.conversation.yaml"
    elsewhere.touch()
    key = ConversationKey(tenant="shop", customer="ana", conversation=ana.planted["conversation's id"])
    await data_folder.storage.records.note_recording(key, Recording(elsewhere))

    with capture_logs() as logged:
        for _ in range(2):
            await after(data_folder, 31, keep_conversations_days=30)

    assert [one["path"] for one in logged if "elsewhere" in one["event"]] == [str(elsewhere)]
    assert elsewhere.is_file()


class Failing(MemoryLog):
    """Forgets nothing."""

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        raise LogError("the disk is full")


class Counting:
    """Documents of which two expire, or that are away."""

    def __init__(self, error: AssistantError | None = None) -> None:
        self.error, self.asked = error, 0

    async def expire(self) -> int:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return 2


async def test_a_failure_is_named_and_does_not_affect_the_rest(data_folder: DataFolder) -> None:
    documents = Counting()
    with capture_logs() as logged, pytest.raises(LogError) as failed:
        await delete_expired(
            settings(data_folder, keep_conversations_days=30),
            replace(data_folder.storage, log=Failing()),
            documents,
            Nobody(),
            data_folder.clock,
        )

    assert str(failed.value) == "not all expired data are deleted: conversations: the disk is full"
    assert logged == [
        {"event": "let go of what was old", "log_level": "info", "recordings": 0, "documents": 2}
    ]


async def test_it_is_repeated_regularly_also_after_a_failure(data_folder: DataFolder) -> None:
    documents = Counting()
    kind = retention_kind(settings(data_folder), data_folder.storage, documents, Nobody(), data_folder.clock)
    task = asyncio.ensure_future(data_folder.storage.jobs.run([kind]))

    await data_folder.clock.sleep(2.5 * EVERY_H * 3600)
    assert documents.asked == 3

    documents.error = StoreError("the store is away")
    await data_folder.clock.sleep(EVERY_H * 3600)
    assert documents.asked > 6
    documents.error = None
    await data_folder.clock.sleep(EVERY_H * 3600)
    assert await data_folder.storage.jobs.failed() == []
    task.cancel()


async def test_the_rest_of_a_conversation_can_be_read_and_continued(
    data_folder: DataFolder,
) -> None:
    ana = Words("ana")
    await data_folder.moves_in(ana, "ana")
    key = ConversationKey(tenant="shop", customer="ana", conversation=ana.planted["conversation's id"])
    before = await data_folder.log.read(key)
    shown = snapshot(before, Projector(lambda tool, locale: tool))

    await after(data_folder, 91, keep_model_replies_days=30, keep_tool_results_days=90)

    thinned = await data_folder.log.read(key)
    assert len(thinned) == len(before)
    assert [type(one.entry) for one in thinned] == [type(one.entry) for one in before]
    now = snapshot(thinned, Projector(lambda tool, locale: tool))
    assert now["messages"] == shown["messages"]
    assert ConversationState(thinned).turns[0].snapshots == ConversationState(before).turns[0].snapshots
    model = ScriptedModel(says("About the rest."), says("Hello again."), clock=data_folder.clock)
    sessions = SessionRegistry(
        FixedConfig(deps_for(model, [], shipped_book(), data_folder.clock)), data_folder.log, epoch="1"
    )
    session = await sessions.open(key, ANA)
    await session.say(client_message_id="m9", text="Hi", locale="en")
    await session.answered()
    assert session.state.turns[-1].how == "answered"
    await sessions.close()
    assert (
        ana.planted["answer"]
        in orjson.dumps(await data_folder.customers.export("shop", "ana"), dict).decode()
    )


async def test_a_conversation_without_raw_replies_cannot_be_recorded(data_folder: DataFolder) -> None:
    await data_folder.log.append(KEY, a_lookup())
    assert cassette_from_log(await data_folder.log.read(KEY), KEY).turns

    await after(data_folder, 0, keep_model_replies_days=30)

    with pytest.raises(AssistantError, match="what the models wrote in turn t1 is no longer in the log"):
        cassette_from_log(await data_folder.log.read(KEY), KEY)


async def test_a_recording_says_which_results_are_shortened(data_folder: DataFolder) -> None:
    await data_folder.log.append(KEY, a_lookup())
    assert not_replayable(await data_folder.log.read(KEY)) == []

    await after(data_folder, 0, keep_tool_results_days=30)

    assert not_replayable(await data_folder.log.read(KEY)) == [
        "the full result of get_open_invoices, which is kept no longer: the file has its shorter form"
    ]


def a_lookup() -> list[Logged]:
    """A turn with one call, half a year ago."""
    chunks = (
        (1, CallNamed(0, LOOKUP.tool)),
        (2, CallArguments(0, "{}" + " " * 300)),
        (3, StreamEnded("stop")),
    )
    rows = [{"number": number, "note": "x" * 40} for number in range(100)]
    return log(
        (0, said()),
        (1, begins()),
        (2, asked()),
        (40, CallRequested(call=LOOKUP)),
        (50, ModelChunks(round=1, role="decider", chunks=chunks)),
        (51, DecisionClosed(round=1, call_ids=(LOOKUP.id,))),
        (52, CallStarted(call_id=LOOKUP.id, tool=LOOKUP.tool, idempotency_key="k")),
        (60, CallEnded(outcome=CallSucceeded(call=LOOKUP, value=rows))),
        (90, TurnEnded(turn_id="t1", how="answered")),
    )
