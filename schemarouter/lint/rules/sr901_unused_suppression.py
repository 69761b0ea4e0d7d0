r"""A suppression suppresses nothing.

## What it does
Reports codes in `# schemarouter: ignore[...]` for which there is no finding in the block that the comment belongs to.

## Why it matters
A suppression that is no longer needed hides the next finding of its kind. It may also stand at the wrong place, while
its author believes that it works.

## Example
```yaml
version: 1
rules:
  # schemarouter: ignore[SR306] the tool is ours, and everything in it is harmless
  - name: read-notes
    operation: notes.read
    effect: allow
budget: {max_tool_calls: 20}
classify: [{operation: "notes.*", read_only: false, destructive: false}]
```

## Instead
```yaml
version: 1
rules:
  # schemarouter: ignore[SR306] the tool is ours, and everything in it is harmless
  - name: use-notes
    operation: "notes.*"
    effect: allow
budget: {max_tool_calls: 20}
classify: [{operation: "notes.*", read_only: false, destructive: false}]
```

## Limits
Only codes that were looked for are judged: not those left out by `--select` or `--ignore`, infos without
`--pedantic`, or codes that need `--resolve`. The fix removes what is not needed, and is safe, since comments decide
nothing.
"""
