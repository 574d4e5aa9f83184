"""A stand-in for tau2-bench with the same shape: one domain of parcels, written for our tests."""
