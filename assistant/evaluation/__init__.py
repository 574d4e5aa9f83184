"""Evaluates the assistant with tasks. Each is run several times, and judged by the changes and the answers.

Begin with `trial`. `tasks` defines a task, `state` reads the company's records, `worker_pool` runs many
trials concurrently, `summary` computes the figures, `report` and `html_report` show them. `tau2` imports the
tasks of a public benchmark.
"""
