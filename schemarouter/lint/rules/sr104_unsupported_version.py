r"""The version of the format is missing, or one that this program does not read.

## What it does
Reports a missing `version`, and every value but 1.

## Why it matters
A later format may mean something else by the same words. A file that does not say which one it is written in is not
guessed at.

## Example
```yaml
version: 7
rules: []
```

## Instead
```yaml
version: 1
rules: []
```

## Limits
None.
"""
