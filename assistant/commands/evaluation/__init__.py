"""``assistant evaluate``: ``cli`` declares its options, ``evaluate`` runs tasks, ``import_tasks`` writes suites."""
