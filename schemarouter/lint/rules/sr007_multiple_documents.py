r"""The file holds several YAML documents.

## What it does
Reports a second document behind `---`.

## Why it matters
Which of them is the policy? A tool that reads only the first one ignores rules that stand in plain sight.

## Example
```yaml
version: 1
rules: []
---
version: 1
rules: []
```

## Instead
```yaml
---
version: 1
rules: []
```

## Limits
One `---` at the start is fine. YAML only.
"""
