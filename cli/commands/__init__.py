"""One module a command: options, a call of the library, a renderer, an exit code."""
