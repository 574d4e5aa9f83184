"""What came of each of the customer's messages, as a test would write it down."""

from assistant.conversation.state import ConversationState
from assistant.testing.scene import scene_of


def scenes_of(state: ConversationState) -> dict[str, str]:
    """The scene of each message that has a turn, by its client's id; with what was told late of it."""
    scenes: dict[str, list[str]] = {}
    for turn in state.turns:
        scenes.setdefault(turn.message.client_message_id, []).append(scene_of(turn))
    return {client_id: "\n".join(filter(None, each)) for client_id, each in scenes.items()}
