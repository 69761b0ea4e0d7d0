r"""The category guards decide otherwise about what no rule names.

## What it does
Reports calls that no rule matches, neither before nor now, and that `defaults` or the approval mode
treat in another way.

## Why it matters
The guards speak for every operation that nobody thought of. One line changes all of them.

## Example
Before:
```yaml
version: 1
defaults: {allow_mutations: false}
```
After:
```yaml
version: 1
defaults: {allow_mutations: true}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
defaults: {allow_mutations: false}
name: notes
```

## Limits
Calls that a rule decides on one side are reported as SR801 to SR803.
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
