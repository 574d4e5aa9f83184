"""All state of an installation in one PostgreSQL database, for several servers.

``database`` connects and applies the numbered steps of store/migrations/postgres; ``log`` stores conversations;
``storage`` opens everything. Begin with the SQL: 0002_log.sql defines the rows and who may see them.
"""
