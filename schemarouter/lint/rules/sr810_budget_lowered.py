r"""A limit of the budget is lower, or new.

## What it does
Reports each limit that is lower than before or was not there, and each cost weight that is higher.

## Why it matters
It takes authority away; a run that needed it fails.

## Example
Before:
```yaml
version: 1
budget: {max_tool_calls: 8}
```
After:
```yaml
version: 1
budget: {max_tool_calls: 4}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
budget: {max_tool_calls: 9}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
