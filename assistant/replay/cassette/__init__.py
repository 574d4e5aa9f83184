"""The form of a recorded conversation, as it stands in a file ``*.conversation.yaml``."""
