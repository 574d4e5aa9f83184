-- The CRC-32 of the entry's number, time, turn, kind and body; null for an entry from before there was one.
ALTER TABLE entries ADD COLUMN checksum INTEGER;

-- The number of the last entry with which the rest of this row was written: if there are fewer entries, some are lost.
ALTER TABLE conversations ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
