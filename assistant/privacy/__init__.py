"""A customer's data as the law sees it: given out, erased, kept no longer than it may be, and proved.

Begin with ``customer_data`` (export and erasure). ``retention`` deletes what has become too old. ``receipts`` makes
signed proofs of what a customer agreed to.
"""
