"""Reads a customer's answer to a read-back: yes to all, yes to some, no, not yet, a correction, or none of
these.

Begin with :mod:`answer`; :mod:`readings` has its results. :mod:`question` describes what was asked.
:mod:`tokens` and :mod:`settle_roles` find the role of each word, :mod:`clauses` and :mod:`remarks` the
meaning of each clause. :mod:`agreement` and :mod:`refusal` decide.
"""
