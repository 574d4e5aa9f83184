"""Reads a customer's answer to a read-back: yes to all, yes to some, no, not yet, a correction, or none of these.

Begin at :mod:`answer`; :mod:`readings` has its results. :mod:`question` says what was asked, :mod:`tokens` and
:mod:`settle_roles` what each word does in the answer, :mod:`clauses` and :mod:`remarks` what each clause says.
:mod:`agreement` and :mod:`refusal` decide, :mod:`another_matter` finds what follows a yes.
"""
