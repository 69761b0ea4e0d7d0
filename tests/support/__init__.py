"""What several tests share: fixtures of the execution boundary and the fail-closed matrix."""
