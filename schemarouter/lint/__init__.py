"""Lint: what a policy that compiles says, and its author probably does not mean. One file a rule, in ``lint/rules``."""
