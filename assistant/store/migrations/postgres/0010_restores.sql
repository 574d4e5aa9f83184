-- The last restore of a backup. An empty id: there was none.
ALTER TABLE installation ADD COLUMN restore text NOT NULL DEFAULT '';
ALTER TABLE installation ADD COLUMN restored_ms bigint NOT NULL DEFAULT 0;

-- The number of the last entry that the restored backup had. Later entries may repeat numbers of the lost history.
ALTER TABLE conversations ADD COLUMN restored_seq bigint NOT NULL DEFAULT 0;
