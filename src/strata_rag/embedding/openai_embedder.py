"""Embedding models behind an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strata_rag.cache import Cache, digest_request
from strata_rag.embedding.embedder import BadVector, Matrix, unit_vectors
from strata_rag.embedding.files import EMBEDDING_VERSION
from strata_rag.errors import ExtraMissing, ModelUnavailable

if TYPE_CHECKING:
    import openai

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_PROBE = "dimension"
_TIMEOUT_SECONDS = 60.0


@dataclass(slots=True)
class HostedUsage:
    """What was sent to a hosted model by this process.

    Attributes:
        requests: Requests answered.
        texts: Texts in them.
        tokens: Tokens the server counted, or 0 where it does not tell.
    """

    requests: int = 0
    texts: int = 0
    tokens: int = 0


class OpenAIEmbedder:
    """A model behind ``POST /embeddings``; the openai package is imported with the first text.

    Args:
        model: Its name on the server.
        base_url: The server, up to and with ``/v1``.
        api_key: Sent with every request; servers on this machine often need none.
        api_key_env: The variable that holds it, for messages.
        cache: Keeps the model's dimension, which takes a request to learn.
        max_texts: Most texts of one request.
        max_tokens: Most tokens of one request. A text's UTF-8 bytes stand for its tokens: it has no more.
        announce: Told once, before the first text leaves, where texts are sent.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None,
        api_key_env: str,
        cache: Cache,
        max_texts: int = 32,
        max_tokens: int = 300_000,
        announce: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._api_key_env = api_key_env
        self._cache = cache
        self._max_texts = max_texts
        self._max_tokens = max_tokens
        self._announce = announce
        self.usage = HostedUsage()

    @cached_property
    def dimension(self) -> int:
        """Length of a vector: remembered, or learned by embedding one fixed word."""
        key = digest_request({"kind": "hosted-dimension", "fingerprint": self.fingerprint})
        remembered = self._cache.get_many([key]).get(key)
        if remembered is not None:
            return int(remembered)
        dimension = len(self._request([_PROBE])[0])
        self._cache.put_many([(key, str(dimension).encode())], owner=self.fingerprint)
        return dimension

    @property
    def fingerprint(self) -> str:
        """Digest of server and model name: a server tells no more of its weights."""
        return digest_request(
            {
                "kind": "hosted-model",
                "model": self._model,
                "base_url": self._base_url,
                "version": EMBEDDING_VERSION,
            }
        ).hex()

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, in their order.

        Raises:
            BadVector: A text is blank: it is not sent, since servers refuse the whole request for it.
            ModelUnavailable: The server can't be reached, or refuses.
        """
        for text in texts:
            if not text.strip():
                raise BadVector(text, "expected a text, found white space only; it was not sent")
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        rows = [row for batch in self._batches(texts) for row in self._request(batch)]
        lengths = {len(row) for row in rows}
        if lengths != {self.dimension}:
            odd = next(text for text, row in zip(texts, rows, strict=True) if len(row) != self.dimension)
            raise BadVector(
                odd,
                f"expected vectors of length {self.dimension}, found {sorted(lengths)}",
                hint=f"{self._model} is not the model it was: serve the former one, or name the new one in "
                "embedding.model, which makes a collection of its own",
            )
        return unit_vectors(np.array(rows), texts, dimension=self.dimension)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0
        for text in texts:
            size = len(text.encode("utf-8", "surrogatepass"))
            if batch and (len(batch) == self._max_texts or tokens + size > self._max_tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += size
        yield batch

    def _request(self, texts: list[str]) -> list[list[float]]:
        """Return the server's vectors in the order of `texts`, whatever the order of its answer."""
        client, openai = self._client
        try:
            answer: Any = client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        except openai.OpenAIError as error:
            raise self._refused(error) from error
        rows = self._rows(answer)
        if (found := sorted(rows)) != list(range(len(texts))):
            raise ModelUnavailable(
                f"{self._base_url}: expected a vector for each of {len(texts)} texts, found {len(found)}",
                hint="the server does not speak this protocol as documented; try a smaller embedding.batch_size",
            )
        self.usage.requests += 1
        self.usage.texts += len(texts)
        self.usage.tokens += getattr(answer.usage, "total_tokens", 0) or 0
        return [rows[index] for index in found]

    def _rows(self, answer: Any) -> dict[int, list[float]]:
        """Return the answer's vectors by the index of their text."""
        try:
            return {int(item.index): list(item.embedding) for item in answer.data}
        except (AttributeError, TypeError, ValueError) as error:
            said = " ".join(str(answer).split())[:80]
            raise ModelUnavailable(
                f"{self._base_url}: expected embeddings of {self._model} as JSON, found {said!r}",
                hint="check embedding.base_url: it is the address of an embeddings API, with its /v1",
            ) from error

    @cached_property
    def _client(self) -> tuple[openai.OpenAI, Any]:
        try:
            import openai
        except ImportError as error:
            raise ExtraMissing(
                "openai: expected the package, it is not installed", hint="pip install openai"
            ) from error
        self._announce(f"texts are sent to {self._base_url} (embedding.provider openai)")
        client = openai.OpenAI(
            api_key=self._api_key or "none", base_url=self._base_url, timeout=_TIMEOUT_SECONDS, max_retries=3
        )
        return client, openai

    def _refused(self, error: Exception) -> ModelUnavailable:
        status = getattr(error, "status_code", None)
        said = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
        if self._api_key:
            said = said.replace(self._api_key, "***")
        where = f"{self._base_url}: expected embeddings of {self._model}"
        if status in (401, 403):
            return ModelUnavailable(
                f"{where}, the server refused the key: {said}",
                hint=f"check the variable {self._api_key_env}; embedding.api_key_env names another",
            )
        if status is None:
            return ModelUnavailable(
                f"{where}, no server answered: {said}",
                hint="check embedding.base_url and the network, then run again",
            )
        return ModelUnavailable(
            f"{where}, the server refused: {said}",
            hint="check embedding.model and its limits; what was embedded is kept, and the next run continues",
        )
