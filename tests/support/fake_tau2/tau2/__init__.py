"""A fake tau2-bench with the same structure: one domain of parcels, written for our tests."""
