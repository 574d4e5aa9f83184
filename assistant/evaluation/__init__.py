"""Evaluates the assistant on tasks: each is tried several times and judged by what changed in the database.

Begin with `trial`. `tasks` says what a task is, `worker_pool` runs many trials at once, `summary` reports them.
"""
