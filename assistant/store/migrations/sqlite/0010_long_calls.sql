-- The long calls that a process has to run, or to give to what runs them: "t1/c1.1 t3/c1.2".
ALTER TABLE conversations ADD COLUMN long_calls TEXT NOT NULL DEFAULT '';

DROP INDEX conversations_unfinished;

CREATE INDEX conversations_unfinished ON conversations (tenant, customer, conversation)
    WHERE open_turn <> '' OR waiting <> '' OR handoff <> '' OR long_calls <> '';
