"""What there is to call: tools and operations as a file, and what a policy decides about them. Imports no source of tools."""
