"""An edited prompt against conversations that were recorded: who would have read something else."""
