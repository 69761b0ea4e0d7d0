"""Benchmarks, side by side with other tools: ``make bench`` (docs/benchmarks.md)."""
