"""What the assistant remembers: budgets and summaries of a conversation, and a library of documents."""
