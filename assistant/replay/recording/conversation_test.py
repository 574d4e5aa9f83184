"""Makes a test of a logged conversation for staff: a masked cassette, played at once to see whether it passes."""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.app import DEMO_CUSTOMER, known_to_tools
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import DeclarationError
from assistant.inspector.copied_test import CopiedTest
from assistant.replay.cassette import Cassette
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
from assistant.replay.worker_process import run_in_process
from assistant.replay.yaml_writer import dump
from assistant.settings import Settings


async def copy_as_test(settings: Settings, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
    """Make a test of a conversation, in another process.

    Raises:
        AssistantError: the customer wrote nothing, replies were deleted, or the process ended.
    """
    return await run_in_process(make_test, settings, key, tuple(entries))


def make_test(settings: Settings, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
    """Make the test in this process. Blocks. Raises ``AssistantError``."""
    masked = mask(cassette_of(settings, key, entries))
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
            result = play_file(file, environment, SystemClock())
    passes = isinstance(result, AsExpected)
    return CopiedTest(
        text=text,
        passes=passes,
        failure="" if passes else result_text(result).replace(str(file), file.name),
        difference=now.difference,
        masked=sum(masked.replaced.values()),
        left_out=tuple(not_replayable(entries)),
    )


def cassette_of(settings: Settings, key: ConversationKey, entries: Sequence[Logged]) -> Cassette:
    """Returns the cassette of a conversation, with its personal data. Raises ``AssistantError``."""
    is_demo = (key.tenant, key.customer) == (DEMO_CUSTOMER.tenant, DEMO_CUSTOMER.id)
    return cassette_from_log(
        entries,
        key,
        zone=SystemClock(settings.time_zone).now().tzinfo or UTC,
        name=DEMO_CUSTOMER.name if is_demo else None,
    )
