-- The newest request for a person that has not ended: its conversation is gone on with after a restart.
ALTER TABLE conversations ADD COLUMN handoff TEXT NOT NULL DEFAULT '';

DROP INDEX conversations_unfinished;

CREATE INDEX conversations_unfinished ON conversations (tenant, customer, conversation)
    WHERE open_turn <> '' OR waiting <> '' OR handoff <> '';
