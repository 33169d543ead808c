"""Hosted embeddings through the real openai package against a loopback server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata_rag.cache import Cache
from strata_rag.config import load_config
from strata_rag.embedding import BadVector, OpenAIEmbedder
from strata_rag.errors import InputError, ModelUnavailable
from strata_rag.experiment import Experiment, SearchSettings, Workspace, ingest, query
from strata_rag.experiment.check import check_experiment
from strata_rag.progress import Silent

sdk = pytest.mark.skipif(
    __import__("importlib.util").util.find_spec("openai") is None,
    reason="the openai package is not installed",
)


@dataclass
class FakeHost:
    """Answers ``[length of the text, 1, 0]`` per text in reverse order, and 400 if one is blank."""

    url: str = ""
    inputs: list[list[str]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    status: int = 200
    page: dict[str, Any] | str | None = None

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        texts = body["input"]
        self.inputs.append(texts)
        if self.status != 200:
            return self.status, {"error": {"message": f"key {sorted(map(str, self.keys))} refused"}}
        if not all(text.strip() for text in texts):
            return 400, {"error": {"message": "'$.input' is invalid"}}
        data = [
            {"object": "embedding", "index": place, "embedding": [float(len(text)), 1.0, 0.0]}
            for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": 10 * len(texts)}
        return 200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}


@pytest.fixture
def host() -> Iterator[FakeHost]:
    fake = FakeHost()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            fake.keys.add(self.headers.get("Authorization"))
            status, document = fake.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            told = document if fake.page is None else fake.page
            data = told.encode() if isinstance(told, str) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if isinstance(told, str) else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        fake.url = f"http://127.0.0.1:{httpd.server_address[1]}/v1"
        yield fake
        httpd.shutdown()
        thread.join()


def embedder_on(host: FakeHost, tmp_path: Path, **options: Any) -> OpenAIEmbedder:
    settings = {"api_key": "s3cret", "api_key_env": "MY_KEY", **options}
    return OpenAIEmbedder("m", base_url=host.url, cache=Cache(tmp_path / "cache.sqlite"), **settings)


def unit(length: int) -> list[float]:
    return [float(value) for value in np.array([length, 1, 0]) / np.hypot(length, 1)]


@sdk
def test_rows_stand_in_the_order_of_the_texts_whatever_the_order_of_the_answer(
    host: FakeHost, tmp_path: Path
) -> None:
    announced: list[str] = []
    embedder = embedder_on(host, tmp_path, announce=announced.append)
    rows = embedder.embed_documents(["first", "last text"])
    np.testing.assert_allclose(rows, [unit(5), unit(9)], atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("why"), unit(3), atol=1e-6)
    assert host.keys == {"Bearer s3cret"}
    assert len(announced) == 1
    assert host.url in announced[0]
    assert (embedder.usage.texts, embedder.usage.tokens) == (
        4,
        40,
    )  # one of them the word that tells the dimension
    again = embedder_on(host, tmp_path)
    assert again.dimension == 3
    assert again.usage.requests == 0


@sdk
def test_requests_stay_under_both_caps(host: FakeHost, tmp_path: Path) -> None:
    embedder_on(host, tmp_path, max_texts=2).embed_documents(["a", "b", "c", "d", "e"])
    assert host.inputs[:3] == [["a", "b"], ["c", "d"], ["e"]]
    host.inputs.clear()
    embedder_on(host, tmp_path, max_tokens=6).embed_documents(["aaa", "bbb", "c", "ddddddddd", "öö"])
    assert host.inputs == [["aaa", "bbb"], ["c"], ["ddddddddd"], ["öö"]]


@sdk
def test_a_blank_text_is_refused_before_anything_is_sent(host: FakeHost, tmp_path: Path) -> None:
    for blank in ("", " \n\t"):
        with pytest.raises(BadVector, match="not sent"):
            embedder_on(host, tmp_path).embed_documents(["first", blank])
    assert host.inputs == []


@sdk
@pytest.mark.parametrize(
    "page", ["<html>Sign in</html>", {"choices": []}, {"data": [{"index": 0}]}, {"data": None}, "[1]"]
)
def test_an_answer_that_holds_no_embeddings_is_shown_with_the_address(
    host: FakeHost, tmp_path: Path, page: dict[str, Any] | str
) -> None:
    host.page = page
    with pytest.raises(ModelUnavailable, match="expected embeddings of m as JSON, found") as caught:
        embedder_on(host, tmp_path).embed_documents(["first"])
    assert "embedding.base_url" in caught.value.hint


@sdk
@pytest.mark.parametrize(("status", "names"), [(401, "MY_KEY"), (400, "embedding.model")])
def test_a_refusal_names_server_and_remedy_and_never_the_key(
    host: FakeHost, tmp_path: Path, status: int, names: str
) -> None:
    host.status = status
    with pytest.raises(ModelUnavailable) as caught:
        embedder_on(host, tmp_path).embed_documents(["first"])
    assert host.url in caught.value.message
    assert names in caught.value.hint
    assert "s3cret" not in caught.value.message
    assert len(host.inputs) == 1


def case_25(shared: Path, tmp_path: Path) -> Path:
    lines = (
        (shared / "cases" / "25-embed-blank-chunks" / "blank.jsonl").read_text(encoding="utf-8").splitlines()
    )
    documents = [{"_id": one["id"], "text": one["text"]} for one in map(json.loads, lines)]
    (tmp_path / "docs").mkdir()
    text = "".join(json.dumps(document) + "\n" for document in documents)
    (tmp_path / "docs" / "corpus.jsonl").write_text(text, encoding="utf-8")
    config = tmp_path / "e.yaml"
    config.write_text(
        "corpus: {root: docs}\nembedding: {provider: openai, model: m, price: 2.5}\n"
        "retrieval: {rerank: {scorer: none}}\n"
    )
    return config


@sdk
def test_case_25_blank_texts_are_not_sent_and_reported_and_vectors_keep_their_place(
    host: FakeHost, tmp_path: Path, shared: Path
) -> None:
    config = load_config(
        case_25(shared, tmp_path), overrides=[f"embedding.base_url={host.url}"], environ={}
    ).config
    experiment = Experiment(config, Workspace(tmp_path / "home"))
    result = ingest(experiment, recreate=False, progress=Silent())
    assert host.inputs == [["dimension"], ["first", "last text"]]
    assert sum("is empty" in warning for warning in result.warnings) == 2
    assert all(any(name in warning for warning in result.warnings) for name in ("k2", "k3"))
    assert result.hosted is not None
    assert (result.hosted.texts, result.hosted.tokens) == (3, 30)
    assert result.hosted.cost == pytest.approx(30 * 2.5 / 1e6)
    with experiment.collections.reading(experiment.collection) as (_, index):
        names = {key: payload["doc_id"] for key, payload in index.scroll(["doc_id"])}
        vectors = {names[key]: dense for key, (dense, _) in index.vectors(list(names)).items()}
    assert vectors["k4"][0] / vectors["k4"][1] == pytest.approx(9)
    assert vectors["k1"][0] / vectors["k1"][1] == pytest.approx(5)
    hits = query(experiment, "last text", SearchSettings.of(config), top_k=2).hits
    assert hits[0].doc_id == "k4"


def test_a_corpus_leaves_the_machine_only_when_the_config_says_so(tmp_path: Path, shared: Path) -> None:
    path = case_25(shared, tmp_path)
    closed = load_config(path, environ={}).config
    with pytest.raises(InputError, match=r"allow_remote.*sends every chunk") as caught:
        ingest(Experiment(closed, Workspace(tmp_path / "home")), recreate=False, progress=Silent())
    assert caught.value.exit_code == 2
    opened = load_config(path, overrides=["embedding.allow_remote=true"], environ={}).config
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        ingest(Experiment(opened, Workspace(tmp_path / "home")), recreate=False, progress=Silent())
    findings = check_experiment(Experiment(closed, Workspace(tmp_path / "home")))
    assert any("allow_remote" in finding.message and finding.exit_code == 2 for finding in findings)


def test_local_names_and_hosted_ones_never_share_a_collection(tmp_path: Path, shared: Path) -> None:
    path = case_25(shared, tmp_path)
    names = {
        Experiment(load_config(path, overrides=overrides, environ={}).config, Workspace(tmp_path)).collection
        for overrides in ([], ["embedding.base_url=http://localhost:1/v1"], ["embedding.provider=auto"])
    }
    assert len(names) == 3
