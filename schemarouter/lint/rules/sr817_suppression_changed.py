r"""A suppression is new or gone.

## What it does
Reports each code of a `# schemarouter: ignore[...]` comment that one side has and the other has not, with its reason.
Rules are told apart by their names, so that moving one is no change.

## Why it matters
A suppression decides nothing, but what it hides is no longer reported by `check`.

## Example
Before:
```yaml
version: 1
budget: {max_tool_calls: 2}
```
After:
```yaml
version: 1
# schemarouter: ignore[SR501] calls are counted by the gateway
budget: {max_tool_calls: 2}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
# a comment
budget: {max_tool_calls: 2}
```

## Limits
Only counted by `--fail-on any`. Artifacts have no comments. A changed reason is no change.
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
