"""What approvers sign, and who signed it: Ed25519, over text that says everything an answer is bound to.

The process that executes calls holds public keys only. `cryptography` is imported when a signature is made or checked, not
before: that happens where a person has answered, so a process that decides without one never pays for it.
"""

from __future__ import annotations

import base64
import binascii
import json

from schemarouter.compiler.digest import digest_of_text
from schemarouter.errors import SchemaRouterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.state.port import Answer, Grant

PREFIX = "ed25519:"
_KEY_BYTES = 32
_SIGNATURE_BYTES = 64
INSTALL = "install the extra: `pip install 'schemarouter[approvals]'`"


class KeyFileError(SchemaRouterError, ValueError):
    """A key cannot be used. The message holds nothing of it; ``help`` says what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in the other errors
        super().__init__(message)
        self.help = help


def public_text(public: bytes) -> str:
    """A public key as one word, for configurations."""
    return PREFIX + base64.urlsafe_b64encode(public).rstrip(b"=").decode()


def parse_public(text: object) -> bytes:
    """The key that :func:`public_text` wrote; there is one spelling. Raises ``KeyFileError``."""
    word = text.strip() if isinstance(text, str) else ""
    public = _decoded(word.removeprefix(PREFIX), _KEY_BYTES)
    if public is None or public_text(public) != word:
        raise KeyFileError(f"this is no public key: one begins with `{PREFIX}`", "take the line that `keygen` printed")
    return public


def key_id(public: bytes) -> str:
    """A short name of a public key."""
    return digest_of_text(public_text(public))[:16]


def answer_statement(store: str, answer: Answer) -> bytes:
    """What is signed of an answer: the id of the request commits to everything that was asked."""
    return _statement("answer", [store, answer.request, answer.approved, answer.answered, answer.key])


def grant_statement(store: str, grant: Grant) -> bytes:
    """What is signed of a standing grant."""
    return _statement("grant", [store, *(value for name, value in grant._asdict().items() if name != "signature")])


def is_signed(public: bytes, statement: bytes, signature: str) -> bool:
    """Whether the owner of ``public`` signed ``statement``. Raises ``KeyFileError`` without `cryptography`."""
    raw = _decoded(signature, _SIGNATURE_BYTES)
    if raw is None or _encoded(raw) != signature:
        return False
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise KeyFileError("signatures cannot be checked: `cryptography` is not installed", INSTALL) from None
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(raw, statement)
    except (InvalidSignature, ValueError):
        return False
    return True


class Signer:
    """An approver's secret key. Its representation does not show it."""

    __slots__ = ("_secret", "id", "public")

    def __init__(self, secret: object) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if not isinstance(secret, Ed25519PrivateKey):
            raise KeyFileError("this is no Ed25519 key", "make one with `schemarouter approvals keygen`")
        self._secret = secret
        self.public = secret.public_key().public_bytes_raw()
        self.id = key_id(self.public)

    def sign_answer(self, store: str, answer: Answer) -> Answer:
        """``answer`` with this key and its signature."""
        answer = answer._replace(key=self.id)
        return answer._replace(signature=_encoded(self._secret.sign(answer_statement(store, answer))))

    def sign_grant(self, store: str, grant: Grant) -> Grant:
        """``grant`` with this key and its signature."""
        grant = grant._replace(key=self.id)
        return grant._replace(signature=_encoded(self._secret.sign(grant_statement(store, grant))))

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret key is not pickled")


def generate(passphrase: bytes | None) -> tuple[bytes, str]:
    """A new key: the text of its file, encrypted with ``passphrase`` unless that is ``None``, and the public key."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise KeyFileError("keys cannot be made: `cryptography` is not installed", INSTALL) from None
    secret = Ed25519PrivateKey.generate()
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase is not None:
        if not passphrase:
            raise KeyFileError("the passphrase is empty", "take one of several words, or `--no-passphrase`")
        encryption = serialization.BestAvailableEncryption(passphrase)
    text = secret.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return text, public_text(secret.public_key().public_bytes_raw())


def is_encrypted(text: bytes) -> bool:
    """Whether the file of a secret key needs a passphrase."""
    return b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in text


def load_signer(text: bytes, passphrase: bytes | None) -> Signer:
    """The key in a file that :func:`generate` wrote. Raises ``KeyFileError``."""
    try:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise KeyFileError("nothing can be signed: `cryptography` is not installed", INSTALL) from None
    try:
        secret = load_pem_private_key(text, passphrase)
    except Exception:  # noqa: BLE001 - it raises several kinds, and their texts may quote the file
        if is_encrypted(text) and passphrase is not None:
            raise KeyFileError("the key cannot be opened: the passphrase is wrong, or the file is damaged") from None
        raise KeyFileError("this is no secret key", "make one with `schemarouter approvals keygen`") from None
    return Signer(secret)


def _statement(kind: str, parts: list[object]) -> bytes:
    text = json.dumps([f"schemarouter {kind} 1", *parts], separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode()


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: object, size: int) -> bytes | None:
    if not isinstance(text, str) or not text.isascii() or len(text) > 2 * size:
        return None
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if len(raw) == size else None
