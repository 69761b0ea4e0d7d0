r"""A limit of the budget is higher.

## What it does
Reports each limit that is higher than before, with the difference, and each cost weight that is lower.

## Why it matters
More calls, or more expensive ones, fit into one run.

## Example
Before:
```yaml
version: 1
budget: {max_tool_calls: 4}
```
After:
```yaml
version: 1
budget: {max_tool_calls: 8}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
budget: {max_tool_calls: 3}
```

## Limits
A weight counts by itself: whether any tool is called under it is not known.
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
