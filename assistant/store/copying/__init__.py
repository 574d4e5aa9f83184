"""Copies an installation from the SQLite files of a data folder to a PostgreSQL database.

Begin with ``copy``. ``source`` reads the files, ``target`` writes the database, ``checksums`` compares the two.
"""
