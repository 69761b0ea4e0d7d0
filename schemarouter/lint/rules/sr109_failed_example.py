r"""A rule does not do what its own examples say.

## What it does
Evaluates the calls under `examples` with the whole policy: those under `decides` must be decided by this rule, those
under `ignores` must not. An attribute that an example leaves out stands for each of its values.

## Why it matters
The examples say what the author meant. If they do not hold, another rule decides first, or the pattern matches
something else, and the policy must not be used.

## Example
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "files.delete_*"
    effect: deny
    examples:
      decides: [files.delete]
```

## Instead
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "files.delete*"
    effect: deny
    examples:
      decides: [files.delete]
```

## Limits
Only what is listed is tried. Larger tests belong into policy tests.
"""
