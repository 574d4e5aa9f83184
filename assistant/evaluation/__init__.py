"""Evaluates the assistant on tasks: each is run several times and judged by what it changed and said.

Begin with `trial`. `tasks` defines a task, `state` reads the company's records, `worker_pool` runs many trials at
once, `summary` has the figures, `report` and `html_report` show them. `tau2` makes a public benchmark's tasks ours.
"""
