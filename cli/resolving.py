"""``--resolve``: looking up the callables that a policy names, in packages that the user allowed by name."""
