"""What the layers around a language model cost: 1,000 calls of 20 ms, 16 at once, against the bare package.

A server in a process of its own answers each call after 20 ms. The same calls are made by the bare OpenAI package
(one client, 16 threads, no retries) and by our client with all its layers and an empty cache, in turn, three times.

    python benchmarks/llm.py [--calls 1000] [--concurrency 16] [--latency-ms 20]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import openai

from strata_rag.cache import Cache
from strata_rag.config import LanguageModel
from strata_rag.experiment import Workspace
from strata_rag.experiment.llm import build_llm
from strata_rag.llm import Message, map_calls

VERDICTS = [{"claim": "The tower is forty metres high.", "supported": True, "passage": 1}] * 5
PROMPT = (
    "Which of these claims does the passage support? "
    + "The tower at the harbour is forty metres high. " * 60
)
SCHEMA = {
    "type": "object",
    "properties": {"verdicts": {"type": "array", "items": {"type": "object"}}},
    "required": ["verdicts"],
    "additionalProperties": False,
}


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
                    "message": {"role": "assistant", "content": json.dumps({"verdicts": VERDICTS})},
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


def bare(url: str, prompts: list[str], concurrency: int) -> float:
    """Return the seconds that the bare package takes in threads."""
    client = openai.OpenAI(api_key="none", base_url=url, max_retries=0)

    def call(prompt: str) -> str:
        answer = client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": prompt}],
            temperature=0,
            max_tokens=1024,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": SCHEMA, "strict": False},
            },
        )
        return answer.choices[0].message.content or ""

    call("warm up")
    begin = time.perf_counter()
    with ThreadPoolExecutor(concurrency) as threads:
        assert all(threads.map(call, prompts))
    return time.perf_counter() - begin


def ours(url: str, prompts: list[str], concurrency: int) -> tuple[float, float]:
    """Return the seconds that our client takes, with an empty cache and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        section = LanguageModel(provider="openai", model="m", base_url=url, concurrency=concurrency)
        cache = Cache(workspace.cache)
        client = build_llm(section, workspace, cache)
        client.complete([Message("user", "warm up")], schema=SCHEMA)
        taken = []
        for _ in range(2):
            begin = time.perf_counter()
            calls = map_calls(
                lambda prompt: client.complete([Message("user", prompt)], schema=SCHEMA),
                prompts,
                concurrency=concurrency,
            )
            taken.append(time.perf_counter() - begin)
            assert all(outcome.result and outcome.result.text for outcome in calls.outcomes)
        cache.close()
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
    prompts = [f"{number}: {PROMPT}" for number in range(arguments.calls)]
    rows = []
    print("| round | bare package | all layers | ratio | all from the cache |\n|---|---|---|---|---|")
    for number in range(1, 4):
        first = bare(url, prompts, arguments.concurrency)
        second, cached = ours(url, prompts, arguments.concurrency)
        rows.append((first, second))
        print(f"| {number} | {first:.2f} s | {second:.2f} s | {second / first:.2f} | {cached:.2f} s |")
    best = min(second for _, second in rows) / min(first for first, _ in rows)
    print(f"\nbest against best: {best:.2f}")
    server.terminate()


if __name__ == "__main__":
    main()
