"""State that survives: budgets that processes share, approvals that are answered elsewhere, and the kill switch.

``port`` says what a store does; ``memory`` and ``sqlite`` do it. ``ledger`` is a run's budget on a store. ``stored_approvals`` and
``terminal`` are approvers; ``answering``, ``letters`` and ``signatures`` are the other side of them. Standard library only,
but for keys: a hook process imports this package.
"""
