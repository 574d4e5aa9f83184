"""Makes a test of a logged conversation for staff: a masked cassette, played at once to see whether it passes.

It takes seconds of computing, so it runs in a process of its own: a server's conversations go on meanwhile.
"""

import asyncio
import logging
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from assistant.app import DEMO_CUSTOMER, known_to_tools
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import AssistantError, DeclarationError
from assistant.inspector.copied_test import CopiedTest
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.replay.recording.masking import mask
from assistant.replay.recording.recorder import (
    ReplayedRecording,
    cassette_from_log,
    compare_with_replay,
    not_replayable,
)
from assistant.replay.suite import AsExpected, play_file, result_text
from assistant.replay.yaml_writer import dump
from assistant.settings import Settings


async def copy_as_test(settings: Settings, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
    """Make a test of a conversation, in another process.

    Raises:
        AssistantError: the customer wrote nothing, replies were deleted, or the process ended.
    """
    # A process that is started, not forked: this one has threads.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        made = pool.submit(make_test, settings, key, tuple(entries))
        try:
            return await asyncio.wrap_future(made)
        except BrokenProcessPool as error:
            raise AssistantError(
                "the process that plays the conversation has ended; is there enough memory?"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def make_test(settings: Settings, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
    """Make the test in this process. Blocks. Raises ``AssistantError``."""
    # The server has already logged the warnings about tools and settings.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    clock = SystemClock(settings.time_zone)
    is_demo = (key.tenant, key.customer) == (DEMO_CUSTOMER.tenant, DEMO_CUSTOMER.id)
    name = DEMO_CUSTOMER.name if is_demo else None
    recorded = cassette_from_log(entries, key, zone=clock.now().tzinfo or UTC, name=name)
    masked = mask(recorded)
    with known_to_tools(settings):
        environment = environment_of(settings)
        try:
            now = compare_with_replay(masked.cassette, replay(masked.cassette, environment))
        except DeclarationError as error:
            now = ReplayedRecording(masked.cassette, str(error))
        text = dump(now.cassette)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "conversation.conversation.yaml"
            file.write_text(text, encoding="utf-8")
            result = play_file(file, environment, clock)
    passes = isinstance(result, AsExpected)
    return CopiedTest(
        text=text,
        passes=passes,
        failure="" if passes else result_text(result).replace(str(file), file.name),
        difference=now.difference,
        masked=sum(masked.replaced.values()),
        left_out=tuple(not_replayable(entries)),
    )
