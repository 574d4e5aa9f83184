"""What is reported about the process: open conversations, queues, jobs, the event loop."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from assistant.conversation.documents import Document
from assistant.errors import LogError, SpeechError, StoreError
from assistant.jobs import FailedJob, Job, JobKind, QueueLength
from assistant.telemetry.observer import TenantTelemetry
from assistant.telemetry.process import Telemetry
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.testing.virtual_time import VirtualClock
from tests.support.memory_documents import MemoryWriteQueue
from tests.support.spoken_chat import SpokenChat
from tests.telemetry.conftest import CountedCompany, series
from tests.voice.test_session import QUESTION


@dataclass
class FixedJobs:
    """A queue that is as long as a test says; an error is raised."""

    known: list[QueueLength] = field(default_factory=list[QueueLength])
    error: LogError | None = None
    read: int = 0

    async def lengths(self) -> list[QueueLength]:
        self.read += 1
        if self.error is not None:
            raise self.error
        return self.known

    async def later(self, job: Job, after_s: float = 0.0) -> None:
        raise NotImplementedError

    async def run(self, kinds: Sequence[JobKind]) -> None:
        raise NotImplementedError

    async def failed(self) -> list[FailedJob]:
        raise NotImplementedError

    async def retry_failed(self) -> int:
        raise NotImplementedError

    async def erase(self, tenant: str, customer: str, kind: str = "") -> int:
        raise NotImplementedError


@dataclass
class FixedQueues:
    jobs: FixedJobs
    writes: MemoryWriteQueue = field(default_factory=MemoryWriteQueue)


async def test_open_conversations_and_running_turns_are_reported(company: CountedCompany) -> None:
    telemetry = Telemetry(company.clock, release="1.2")
    ana = company.chat(calls("get_open_invoices"), says("Nothing."), billing=Gives("nothing", after_s=5.0))
    telemetry.watch_conversations("shop", lambda: ["get_open_invoices"], lambda: [ana.session.state])
    names = ("meanwhile_conversations_open", "meanwhile_turns_running", "meanwhile_messages_waiting")
    await ana.begins("What do I owe?")
    await company.clock.sleep(1)
    await ana.session.say(client_message_id="m2", text="Hello?", locale="en")

    while_it_runs = series(await telemetry.scrape(), *names)
    await ana.session.stop()
    await ana.session.close()

    assert while_it_runs == {
        "meanwhile_conversations_open": 1,
        "meanwhile_turns_running": 1,
        "meanwhile_messages_waiting": 1,
    }


async def test_the_length_and_age_of_queues_is_reported() -> None:
    clock = VirtualClock()
    now_ms = clock.now_ms()
    queues = FixedQueues(
        FixedJobs(
            [
                QueueLength(kind="erase", waiting=2, failed=1, oldest_due_ms=now_ms - 90_000),
                QueueLength(kind="retention", waiting=1, failed=0, oldest_due_ms=now_ms + 60_000),
            ]
        )
    )
    document = Document(tenant="shop", customer="ana", ref="r1", kind="upload", title="A", text="a")
    await queues.writes.add(document, now_ms - 5_000)
    telemetry = Telemetry(clock, release="1.2")
    telemetry.watch_queues(queues)

    told = series(await telemetry.scrape(), "meanwhile_queue")
    queues.jobs.known = []
    await clock.sleep(10)
    later = series(await telemetry.scrape(), "meanwhile_queue")

    assert told == {
        'meanwhile_queue_waiting{kind="erase"}': 2,
        'meanwhile_queue_waiting{kind="retention"}': 1,
        'meanwhile_queue_waiting{kind="document"}': 1,
        'meanwhile_queue_failed{kind="erase"}': 1,
        'meanwhile_queue_oldest_seconds{kind="erase"}': 90,
        'meanwhile_queue_oldest_seconds{kind="document"}': 5,
    }
    assert later == {
        'meanwhile_queue_waiting{kind="document"}': 1,
        'meanwhile_queue_oldest_seconds{kind="document"}': 15,
    }


async def test_queues_are_not_read_for_each_scrape() -> None:
    clock, queues = VirtualClock(), FixedQueues(FixedJobs())
    telemetry = Telemetry(clock, release="1.2")
    telemetry.watch_queues(queues)

    for _ in range(5):
        await telemetry.scrape()
        await clock.sleep(1)

    assert queues.jobs.read == 1


async def test_an_unavailable_database_does_not_stop_a_scrape() -> None:
    clock, queues = VirtualClock(), FixedQueues(FixedJobs(error=LogError("the database does not answer")))
    telemetry = Telemetry(clock, release="1.2")
    telemetry.watch_queues(queues)

    with capture_logs() as lines:
        away = series(await telemetry.scrape(), "meanwhile_queue", "meanwhile_build")
        queues.jobs.error = None
        await clock.sleep(10)
        back = series(await telemetry.scrape(), "meanwhile_queues")

    assert away == {"meanwhile_queues_unreadable": 1, 'meanwhile_build_info{version="1.2"}': 1}
    assert back == {}
    assert [line["event"] for line in lines] == ["queues cannot be read for the metrics"]


async def test_jobs_are_counted_by_their_outcome() -> None:
    clock = VirtualClock()
    telemetry = Telemetry(clock, release="1.2")

    async def run(job: Job) -> None:
        await clock.sleep(2)
        if job.customer == "ben":
            raise StoreError("the store is away")

    (kind,) = telemetry.watched([JobKind(name="erase", run=run, tries=3)])
    await kind.run(Job(kind="erase", customer="ana"))
    with pytest.raises(StoreError):
        await kind.run(Job(kind="erase", customer="ben"))
    stopped = asyncio.ensure_future(kind.run(Job(kind="erase")))
    await clock.sleep(1)
    stopped.cancel()
    await asyncio.wait({stopped})

    assert (kind.name, kind.tries) == ("erase", 3)
    assert series(telemetry.values.render(), "meanwhile_job") == {
        'meanwhile_jobs_total{kind="erase",outcome="ok"}': 1,
        'meanwhile_jobs_total{kind="erase",outcome="failed"}': 1,
        'meanwhile_jobs_total{kind="erase",outcome="cancelled"}': 1,
        'meanwhile_job_duration_seconds_count{kind="erase"}': 3,
        'meanwhile_job_duration_seconds_sum{kind="erase"}': 5,
    }


class LateClock(VirtualClock):
    """Each sleep takes longer than was asked for."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds + 0.1)


async def test_the_lag_of_the_event_loop_is_measured() -> None:
    telemetry = Telemetry(LateClock(), release="1.2")

    watching = asyncio.create_task(telemetry.watch_loop())
    await VirtualClock().sleep(1.0)
    watching.cancel()
    await asyncio.wait({watching})

    told = series(telemetry.values.render(), "meanwhile_event_loop")
    assert told["meanwhile_event_loop_lag_seconds_count"] == 2
    assert told["meanwhile_event_loop_lag_seconds_sum"] == pytest.approx(0.2)


async def test_each_tenant_has_its_own_series() -> None:
    telemetry = Telemetry(VirtualClock(), release="1.2")

    telemetry.of_tenant("acme").socket_accepted("chat")
    telemetry.of_tenant("shop").socket_accepted("chat")

    assert series(telemetry.values.render(), "meanwhile_sockets_open") == {
        'meanwhile_sockets_open{route="chat",tenant="acme"}': 1,
        'meanwhile_sockets_open{route="chat"}': 1,
    }
    assert telemetry.of_tenant("acme") is telemetry.of_tenant("acme")
    assert isinstance(telemetry.of_tenant("acme"), TenantTelemetry)


async def test_the_stages_of_a_spoken_turn_are_measured(company: CountedCompany) -> None:
    chat = company.chat(says("Hello."))
    spoken = SpokenChat(chat=chat, clock=company.clock, understood=[QUESTION], telemetry=company.telemetry)
    async with spoken as ana:
        await ana.says()

    told = company.told("meanwhile_voice")
    assert told['meanwhile_voice_stage_duration_seconds_sum{stage="transcription"}'] == pytest.approx(0.1)
    assert told['meanwhile_voice_stage_duration_seconds_count{stage="synthesis"}'] == 1
    assert told['meanwhile_voice_stage_duration_seconds_count{stage="response"}'] == 1
    assert 0 < told['meanwhile_voice_stage_duration_seconds_sum{stage="response"}'] < 2


async def test_speech_that_cannot_be_understood_is_counted(company: CountedCompany) -> None:
    spoken = SpokenChat(
        chat=company.chat(),
        clock=company.clock,
        understood=[SpeechError("the model is gone")],
        telemetry=company.telemetry,
    )
    async with spoken as ana:
        await ana.says()

    assert company.told("meanwhile_voice_failures") == {
        'meanwhile_voice_failures_total{stage="transcription"}': 1
    }
