"""What a judge costs beyond its calls: 1,000 calls of 20 ms, 16 at once, against the bare package.

A server in a process of its own answers each call after 20 ms. The same requests are sent by the bare OpenAI package
(one client, 16 threads, no retries), by our client with all its layers and an empty cache, and by the judge on top of
that (prompts made, replies parsed and checked), in turn, three times.

    python benchmarks/llm.py [--calls 1000] [--concurrency 16] [--latency-ms 20]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import openai

from strata_rag.cache import Cache
from strata_rag.config import LanguageModel
from strata_rag.evaluation.judge import JudgeItem, Task, judge_all, requests_of, tasks_of
from strata_rag.experiment import Workspace
from strata_rag.experiment.llm import build_llm
from strata_rag.generation import ContextPassage
from strata_rag.llm import LLMClient, Message, Request, map_calls

SENTENCE = "The tower at the harbour is forty metres high."
REPLY = {
    "verdicts": [
        {"id": number, "supported": True, "passages": [1], "quote": "forty metres high"}
        for number in range(1, 6)
    ],
    "score": 5,
    "severity": "none",
    "reason": "Passage 1 says all of it.",
}
KEY = b"k" * 32


def serve(latency: float, ready: Connection) -> None:
    """Answer every request after `latency` seconds, over connections that stay open."""
    body = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": json.dumps(REPLY)},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 720, "completion_tokens": 120, "total_tokens": 840},
        }
    ).encode()
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                await reader.readexactly(length)
                await asyncio.sleep(latency)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def passage(item: int, number: int) -> ContextPassage:
    text = f"Passage {number} of {item}. " + f"{SENTENCE} " * 30
    return ContextPassage(number, f"d{number}#0-{len(text)}", f"d{number}", 0, len(text), text)


def tasks(count: int) -> list[Task]:
    """Return that many answers of five sentences to be judged for faithfulness to two passages."""
    answer = " ".join([SENTENCE] * 5)
    items = [
        JudgeItem(
            f"q{number}", f"How high is tower {number}?", answer, (passage(number, 1), passage(number, 2))
        )
        for number in range(count)
    ]
    return tasks_of(items, ("Faithfulness",), repeat=1)


def bare(url: str, requests: list[Request], concurrency: int) -> float:
    """Return the seconds that the bare package takes in threads."""
    client = openai.OpenAI(api_key="none", base_url=url, max_retries=0)

    def call(request: Request) -> str:
        answer = client.chat.completions.create(
            model="m",
            messages=[{"role": message.role, "content": message.content} for message in request.messages],
            temperature=0,
            max_tokens=1024,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(request.schema or {}), "strict": True},
            },
        )
        return answer.choices[0].message.content or ""

    call(requests[0])
    begin = time.perf_counter()
    with ThreadPoolExecutor(concurrency) as threads:
        assert all(threads.map(call, requests))
    return time.perf_counter() - begin


@contextmanager
def asking(url: str, concurrency: int) -> Iterator[LLMClient]:
    """Give our client with all its layers, warm, on an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        section = LanguageModel(provider="openai", model="m", base_url=url, concurrency=concurrency)
        cache = Cache(workspace.cache)
        client = build_llm(section, workspace, cache)
        client.complete([Message("user", "warm up")])
        yield client
        cache.close()


def layered(url: str, requests: list[Request], concurrency: int) -> float:
    """Return the seconds that our client takes."""
    with asking(url, concurrency) as client:
        begin = time.perf_counter()
        calls = map_calls(
            lambda request: client.complete(request.messages, schema=request.schema),
            requests,
            concurrency=concurrency,
        )
        taken = time.perf_counter() - begin
        assert all(outcome.result and outcome.result.text for outcome in calls.outcomes)
        return taken


def judged(url: str, due: list[Task], concurrency: int) -> tuple[float, float]:
    """Return the seconds that the judge takes, with an empty cache and with a full one."""
    with asking(url, concurrency) as client:
        taken = []
        for _ in range(2):
            begin = time.perf_counter()
            run = judge_all(client, due, key=KEY, concurrency=concurrency)
            taken.append(time.perf_counter() - begin)
            assert [judgement.value for judgement in run.judgements] == [1.0] * len(due)
        return taken[0], taken[1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency-ms", type=float, default=20.0)
    arguments = parser.parse_args()
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(arguments.latency_ms / 1000, theirs), daemon=True
    )
    server.start()
    url = f"http://127.0.0.1:{mine.recv()}/v1"
    due = tasks(arguments.calls)
    requests = list(requests_of(due, key=KEY))
    rows = []
    print(
        "| round | bare package | all layers | judge | ratios | judge, all from the cache |\n|---|---|---|---|---|---|"
    )
    for number in range(1, 4):
        first = bare(url, requests, arguments.concurrency)
        second = layered(url, requests, arguments.concurrency)
        third, cached = judged(url, due, arguments.concurrency)
        rows.append((first, second, third))
        print(
            f"| {number} | {first:.2f} s | {second:.2f} s | {third:.2f} s | {second / first:.2f}, {third / first:.2f} "
            f"| {cached:.2f} s |",
            flush=True,
        )
    best = [min(column) for column in zip(*rows, strict=True)]
    print(f"\nbest against best: {best[1] / best[0]:.2f}, with the judge {best[2] / best[0]:.2f}")
    server.terminate()


if __name__ == "__main__":
    main()
