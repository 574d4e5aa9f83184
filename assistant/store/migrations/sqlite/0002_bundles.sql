-- What each bundle of prompts held that a conversation may have begun on; the conversation's log names it.
CREATE TABLE bundles (
    bundle  TEXT    NOT NULL PRIMARY KEY,
    kept_ms INTEGER NOT NULL,  -- when it was first taken up
    tools   TEXT    NOT NULL,  -- the hash of the tools' files, whose texts are not kept
    prompts BLOB    NOT NULL   -- the prompts' texts by file name, as JSON
) WITHOUT ROWID;
