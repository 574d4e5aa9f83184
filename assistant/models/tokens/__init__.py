"""Counting a model's tokens without asking anybody: with its vocabulary, or by an estimate that errs upwards."""
