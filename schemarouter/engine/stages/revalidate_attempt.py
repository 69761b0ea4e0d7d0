"""Stage 8 of SPEC 3: the checks of stage 2 against now, because hooks may have awaited. The interpreter repeats it before every further attempt."""

from __future__ import annotations

from schemarouter.engine.checks import look_again

STAGE = "revalidate-attempt"
run = look_again
