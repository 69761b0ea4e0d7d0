"""One module for each tool. ``CASES`` are timed; ``VALUES`` answer with a value that is compared as it is."""
