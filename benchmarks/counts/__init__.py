"""Counts of one turn and of a start that are the same on every machine: what makes them grow is a change of ours.

``python -m benchmarks.counts`` compares them with ``counts.txt``; with ``renew`` it writes that file.
``python -m benchmarks.trace`` says which files and functions one message enters.
"""
