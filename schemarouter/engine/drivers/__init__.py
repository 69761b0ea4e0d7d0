"""The two drivers. They answer the interpreter's commands and know nothing of stages."""
