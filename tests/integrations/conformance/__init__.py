"""What every adapter has to do, written once; see `cases` and the drivers beside."""
