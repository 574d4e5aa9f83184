"""All state of an installation in one PostgreSQL database, for several servers.

``database`` connects and applies the numbered steps of store/migrations/postgres; ``log`` keeps conversations;
``storage`` opens everything. Begin with the SQL: 0002_log.sql says what a row is and who may see it.
"""
