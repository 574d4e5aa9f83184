"""Evaluates the assistant on tasks: each is run several times and judged by the changes in the database.

Begin with `trial`. `tasks` defines a task, `worker_pool` runs many trials at once, `summary` reports them.
"""
