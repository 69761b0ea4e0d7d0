r"""The file is no YAML or no TOML.

## What it does
Reports what the parser of the format says, at the author's own line and column. In YAML also what YAML allows and
this format does not: directives and tabs in the wrong place among them. A file that is not UTF-8 or holds control
characters is reported here as well.

## Why it matters
Of a file that cannot be read as a whole, nothing is enforced: half a policy would be another policy.

## Example
```yaml
version: 1
rules:
  - name: "read
    operation: files.read
```

## Instead
```yaml
version: 1
rules:
  - name: "read"
    operation: files.read
    effect: allow
```

## Limits
A parser stops at its first error, so the rest of the file is not looked at until this one is mended.
"""
