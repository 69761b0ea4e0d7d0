"""What things are: diagnostics, decisions, tools, calls, limits. No I/O, no clock, no framework."""
