"""Arguments as a person may see them: what looks like a secret is masked. Standard library only.

A name that says so masks everything below it; a text that looks like a key or a token is masked under any name. This is
help for eyes, no promise: what is secret and looks like an ordinary word is shown.
"""

from __future__ import annotations

import re
from typing import Any

MASK = "<masked>"

#: In names of arguments, whatever the spelling: `apiKey`, `API-KEY`, `x_api_key`.
_NAMES = re.compile(
    "passw|passphrase|passcode|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|sshkey|credential|"
    "authori[sz]ation|authheader|bearer|cookie|sessionid|sessionkey|onetimecode|cardnumber|cvv|cvc|securitycode|"
    "connectionstring|^auth$|^pwd$|^pin$|^otp$|^key$|^jwt$|^salt$|^iban$|^ssn$"
)
_NOT_LETTERS = re.compile("[^a-z0-9]+")
_TEXTS = re.compile(
    r"-----BEGIN [A-Z ]*(?:PRIVATE KEY|CERTIFICATE)"
    r"|\b(?:bearer|basic)\s+[a-z0-9+/_=.~-]{8,}"
    r"|\beyJ[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}"
    r"|\b(?:sk|pk|rk|xox[abeoprs]|gh[oprsu]|glpat|github_pat|hf|npm|pypi|shpat|dop_v1)[-_][a-z0-9_-]{12,}"
    r"|\b(?:AKIA|ASIA|AIza|ya29\.)[a-z0-9_-]{12,}"
    r"|://[^/\s:@]*:[^/\s@]+@"
    r"|\b(?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|credential)s?\b[\"']?\s*[=:]\s*\S",
    re.IGNORECASE,
)
#: A run of characters as random keys have it: letters of both cases, and digits.
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{24,512}")


def masked(value: Any) -> Any:
    """A copy of a JSON value in which what looks like a secret is :data:`MASK`."""
    if isinstance(value, dict):
        return _masked_object(value)
    if isinstance(value, list):
        return [masked(item) for item in value]
    if isinstance(value, str) and _looks_secret(value):
        return MASK
    return value


def _masked_object(value: dict[str, Any]) -> dict[str, Any]:
    """As many names as there were: an argument that disappeared would be approved unseen."""
    shown: dict[str, Any] = {}
    for name, item in value.items():
        own, number = (MASK, 1) if _looks_secret(name) else (name, 1)
        word = own
        while word in shown or (word != name and word in value):
            number += 1
            word = f"{own} {number}"
        shown[word] = MASK if _says_secret(name) else masked(item)
    return shown


def _says_secret(name: str) -> bool:
    return _NAMES.search(_NOT_LETTERS.sub("", name.lower())) is not None


def _looks_secret(text: str) -> bool:
    if _TEXTS.search(text):
        return True
    return any(run != run.lower() and run != run.upper() and any(map(str.isdigit, run)) for run in _RUN.findall(text))
