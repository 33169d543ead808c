"""Results as text for people."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from strata_rag.corpus import ManifestRow
from strata_rag.evaluation import Measure, RunRecord, Summary
from strata_rag.report.reranking import reranking_line
from strata_rag.report.results import DryRun, EvaluationResult, IngestResult, QueryResult
from strata_rag.report.tables import new_table, print_table
from strata_rag.report.visible import visible
from strata_rag.retrieval import STAGES, Hit

if TYPE_CHECKING:
    from rich.table import Table

_FILES_SHOWN = 40
_SNIPPET_LINES = 4
_NARROWEST_NAME = 12
_COMPUTED = {"embed": "computed_embeddings", "rerank": "computed_rerankings"}
_STAGE_NAMES = {"first_stage": "first stage", "total": "whole question"}


def print_dry_run(preview: DryRun) -> None:
    """Print the manifest: files, totals, estimated time."""
    rows = preview.manifest.rows
    table = new_table()
    for heading in ("file", "status", "documents", "chunks", "characters", "longest", "redacted", "secrets"):
        table.add_column(
            heading, justify="left" if heading in ("file", "status") else "right", overflow="fold"
        )
    for row in rows[:_FILES_SHOWN]:
        table.add_row(*_manifest_cells(row))
    print_table(table)
    if len(rows) > _FILES_SHOWN:
        print(f"... and {len(rows) - _FILES_SHOWN} more files, all in {preview.saved}")
    totals = preview.manifest.totals()
    longest = "" if totals["max_tokens"] is None else f", longest chunk {totals['max_tokens']} tokens"
    print(
        f"\n{totals['files']} files: {totals['included']} included, {totals['excluded']} excluded, "
        f"{totals['failed']} failed\n"
        f"{totals['documents']} documents, {_known(totals['chunks'])} chunks, "
        f"{totals['characters']:,} characters{longest}\n"
        f"{totals['redactions']} redactions and {totals['secrets']} secrets taken out\n"
        f"collection {preview.collection}\n"
        f"embedding would take about {_duration(preview.seconds)}; nothing was indexed\n"
        f"manifest {preview.saved}"
    )


def _manifest_cells(row: ManifestRow) -> tuple[str, ...]:
    path = visible(row.path)
    status = visible(f"{row.status}: {row.reason}" if row.reason else row.status)
    if row.status != "included":
        return (path, status, *[""] * 6)
    tokens = "" if row.max_tokens is None else str(row.max_tokens)
    counts = (str(row.documents), _known(row.chunks), f"{row.characters:,}", tokens)
    return (path, status, *counts, str(row.redactions), str(row.secrets))


def _known(count: int | None) -> str:
    return "unknown" if count is None else str(count)


def print_ingest(result: IngestResult) -> None:
    """Print what an ingest did, in a few lines."""
    changes = result.documents
    print(f"collection {result.collection}")
    print(
        f"documents  {changes.added} added, {changes.changed} changed, {changes.removed} removed, "
        f"{changes.unchanged} unchanged; files: {result.excluded} excluded, {result.failed} failed"
    )
    rewritten = f", {result.rewritten} lexical weights rewritten" if result.rewritten else ""
    print(
        f"chunks     {result.chunks} stored; {result.written} written, of which {result.embedded} embedded "
        f"and {result.written - result.embedded} from the cache{rewritten}"
    )
    if use := result.hosted:
        cost = "" if use.cost is None else f", cost {use.cost:.4g}"
        print(f"sent       {use.texts} texts in {use.requests} requests, {use.tokens} tokens{cost}")
    if result.truncated:
        print(f"truncated  {result.truncated} chunks are longer than the model reads")
    if result.reasons:
        print(f"why        {'; '.join(result.reasons)}")
    if result.redactions or result.secrets:
        print(f"privacy    {result.redactions} redactions, {result.secrets} secrets taken out")
    print(f"time       {', '.join(f'{name} {ms / 1000:.1f} s' for name, ms in result.timings_ms.items())}")
    print(f"manifest   {result.manifest}")


def print_query(result: QueryResult, *, explain: bool) -> None:
    """Print the hits with the beginning of their text; with `explain`, every stage's score and rank."""
    if not result.hits:
        print("no hits")
    for rank, (hit, terms) in enumerate(zip(result.hits, result.matched_terms, strict=True), 1):
        stages = STAGES if explain else [stage for stage in STAGES if stage in hit.scores][-2:]
        print(f"{rank}. {visible(hit.chunk_id)}\n   {', '.join(_stage(hit, stage) for stage in stages)}")
        if explain:
            print(f"   terms: {visible(', '.join(terms)) or 'none'}")
        print(_snippet(hit.text))
        print()
    if result.reranking:
        print(reranking_line(asdict(result.reranking)))


def _stage(hit: Hit, stage: str) -> str:
    return (
        f"{stage} {hit.scores[stage]:.4f} (rank {hit.ranks[stage]})" if stage in hit.scores else f"{stage} -"
    )


def _snippet(text: str) -> str:
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    lines = textwrap.wrap(visible(" ".join(text.split())), max(width - 3, 20))
    if len(lines) > _SNIPPET_LINES:
        lines = [*lines[: _SNIPPET_LINES - 1], lines[_SNIPPET_LINES - 1] + " ..."]
    return textwrap.indent("\n".join(lines), "   ")


def print_evaluation(result: EvaluationResult) -> None:
    """Print the run's row above the latest ones on the same golden set, then its kinds of question."""
    run = result.run.record
    runs = [run, *(other.record for other in result.earlier)]
    measures = list(run.measures)
    print(
        f"{run.golden.questions} questions of {run.golden.path}, judged at {run.level} level, 95 % intervals\n"
    )
    print_table(_runs_table(runs, measures))
    kinds = run.slices.get("kind", {})
    if len(kinds) > 1:
        print(f"\n{run.name}: {run.label}, by kind of question\n")
        print_table(_slices_table(kinds, measures))
    print(f"\n{_counts(run)}")
    print(f"milliseconds, p50: {_times(run)}")
    for model in run.models:
        if isinstance(use := model.get("use"), Mapping):
            print(reranking_line(use))
    print(f"run {result.run.path}")


def _runs_table(runs: Sequence[RunRecord], measures: Sequence[Measure]) -> Table:
    several = len({run.name for run in runs}) > 1
    table = new_table()
    table.add_column("run", overflow="fold", min_width=_NARROWEST_NAME)
    for measure in measures:
        table.add_column(str(measure), justify="right", no_wrap=True)
    table.add_column("n", justify="right")
    for run in runs:
        label = f"{run.name}: {run.label}" if several else run.label
        table.add_row(label, *_summary_cells(run.measures, measures), _lowest_n(run.measures))
    return table


def _slices_table(kinds: Mapping[str, Mapping[Measure, Summary]], measures: Sequence[Measure]) -> Table:
    table = new_table()
    table.add_column("kind")
    for measure in measures:
        table.add_column(str(measure), justify="right", no_wrap=True)
    table.add_column("n", justify="right")
    for kind, summaries in kinds.items():
        table.add_row(kind, *_summary_cells(summaries, measures), _lowest_n(summaries))
    return table


def _summary_cells(summaries: Mapping[Measure, Summary], measures: Sequence[Measure]) -> list[str]:
    return [_summary_cell(summaries.get(measure)) for measure in measures]


def _summary_cell(summary: Summary | None) -> str:
    if summary is None or math.isnan(summary.value):
        return "-"
    if math.isnan(summary.low):
        return f"{summary.value:.3f}"
    return f"{summary.value:.3f}\n{summary.low:.2f}-{summary.high:.2f}"


def _lowest_n(summaries: Mapping[Measure, Summary]) -> str:
    return str(min((summary.n for summary in summaries.values()), default=0))


def _counts(run: RunRecord) -> str:
    left_out = [
        f"{run.counts[key]} {name}"
        for key, name in (("unanswerable", "unanswerable"), ("unlabelled", "without a relevant document"))
        if run.counts.get(key)
    ]
    out = f"; {' and '.join(left_out)} left out of the means" if left_out else ""
    empty = f"; {run.counts['no_results']} found nothing" if run.counts.get("no_results") else ""
    return f"{run.counts['questions']} questions ranked to {run.depth} {run.level}s{out}{empty}"


def _times(run: RunRecord) -> str:
    """Return the median of each stage; what came from the cache is in none of its stages' figures, and is counted."""
    parts = []
    for stage, timing in run.timings_ms.items():
        computed = run.counts.get(_COMPUTED.get(stage, ""))
        of = "" if computed is None else f" (the {computed} that were not cached)"
        parts.append(f"{_STAGE_NAMES.get(stage, stage)} {timing.p50:.1f}{of}")
    return ", ".join(parts)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "an unknown time"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
