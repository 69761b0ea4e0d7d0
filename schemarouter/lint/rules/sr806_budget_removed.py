r"""A limit of the budget is gone.

## What it does
Reports each limit that the policy no longer sets.

## Why it matters
Nothing in the policy stops a run that goes round in circles.

## Example
Before:
```yaml
version: 1
budget: {max_tool_calls: 4, max_elapsed_seconds: 15}
```
After:
```yaml
version: 1
budget: {max_elapsed_seconds: 15}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
budget: {max_tool_calls: 2, max_elapsed_seconds: 15}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
