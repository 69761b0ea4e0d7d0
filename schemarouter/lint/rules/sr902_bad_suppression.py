r"""A suppression has something wrong about it, and therefore suppresses nothing.

## What it does
Reports suppressions without codes or without a reason, with a code that does not exist or cannot be suppressed, with
an `until=` that is no date or has passed, and comments that look like a suppression and are none.

The form is `# schemarouter: ignore[SR306, SR305] reason`, in YAML and in TOML, with `until=2027-01-31` in the reason
if it shall expire; that day is its last. A policy consists of blocks: each entry of `rules`, `classify` and
`invariants` is one, and so is every other top-level key. Behind code, the comment belongs to the block of its line;
on a line of its own, to the block of the next line (further comments skipped), or of the line above where the next
line is blank. It suppresses findings of its codes whose own place lies in that block.

## Why it matters
A suppression is a decision of a person about a risk: which one, why, and for how long. What does not say so is no
decision, and what is misspelled would silently not work.

## Example
```yaml
version: 1
rules:
  - name: use-notes  # schemarouter: ignore[SR306]
    operation: "notes.*"
    effect: allow
budget: {max_tool_calls: 20}
classify: [{operation: "notes.*", read_only: false, destructive: false}]
```

## Instead
```yaml
version: 1
rules:
  - name: use-notes  # schemarouter: ignore[SR306] a tool of our own, and everything in it is harmless
    operation: "notes.*"
    effect: allow
budget: {max_tool_calls: 20}
classify: [{operation: "notes.*", read_only: false, destructive: false}]
```

## Limits
SR0xx, SR1xx, SR202, SR205 and SR9xx cannot be suppressed: no comment makes a file compile, or hides a deny that is
dead. Whether a reason is a good one is not judged. Loading a policy never reads suppressions.
"""
