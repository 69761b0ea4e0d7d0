"""Stage 5 of SPEC 3: the checks of stage 2 against now, because the world may have changed while an answer was awaited."""

from __future__ import annotations

from schemarouter.engine.checks import look_again

STAGE = "revalidate-approved"
run = look_again
