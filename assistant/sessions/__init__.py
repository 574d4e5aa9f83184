"""Live conversations: their queue, their calls' tasks, and who is listening."""
