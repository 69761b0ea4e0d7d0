"""Load a policy for use in an application: a file or text, or a compiled artifact, with its callables."""
