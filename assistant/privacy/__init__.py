"""A customer's data by law: export, erasure, retention, and proof.

Begin with ``customer_data`` (export and erasure). ``retention`` deletes old data. ``receipts`` makes signed
proofs of what a customer agreed to.
"""
