-- Lists of a company's conversations, newest first, and those that staff have closed.
CREATE INDEX conversations_newest ON conversations (tenant, opened_ms, conversation);
CREATE INDEX entries_closed ON entries (tenant, customer, conversation) WHERE kind = 'conversation_closed';
