r"""The file is larger, deeper or longer than a policy can be.

## What it does
Reports a file beyond one of the reader's limits: size, depth, expansion of aliases, length of names and patterns,
number of rules.

## Why it matters
A hostile file must be refused quickly, not keep a check or an application busy. The limits lie far above what people
write.

## Example
```yaml
version: 1
name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
```

## Instead
```yaml
version: 1
name: payments
rules: []
```

## Limits
The limits are fixed. Split a policy that reaches one.
"""
