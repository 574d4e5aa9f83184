"""A customer's legal rights to their data: export, erasure, retention, and proof.

Begin with ``customer_data`` (export and erasure). ``retention`` deletes old data. ``receipts`` makes signed
proofs of a customer's consent.
"""
