-- On which machine a recording lies: the name of its data folder. Until now a server took each file for its own.
ALTER TABLE recordings ADD COLUMN place text NOT NULL DEFAULT '';
ALTER TABLE recordings DROP CONSTRAINT recordings_pkey;
ALTER TABLE recordings ADD PRIMARY KEY (tenant, customer, conversation, place, path);
