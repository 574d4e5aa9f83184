"""Reads a customer's answer to a read-back: yes to all, yes to some, no, not yet, a correction, or none of
these.

Begin with :mod:`answer`; :mod:`readings` has its results. :mod:`agreement` says on one page what counts as a yes,
:mod:`reasons` what may stand next to one, :mod:`refusal` what is a no. :mod:`question` describes what was asked.
:mod:`tokens` and :mod:`settle_roles` find the role of each word, :mod:`clauses` and :mod:`sayings` what each clause
says.
"""
