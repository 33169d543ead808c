"""``strata golden``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, load_experiment, print_json, write_text
from strata_rag.cli.paying import MaxCalls, MaxCost, announce_cost
from strata_rag.cli.progress import show_progress

golden_app = typer.Typer(help="Check golden sets, draft and split them.", no_args_is_help=True)

Split = Annotated[str, typer.Option("--split", help="Which questions of a BEIR or TREC folder.")]


@golden_app.callback()
def _group() -> None:
    """Check golden sets, draft and split them."""


@golden_app.command("check")
def check_command(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG|FILE", help="A config, or a golden set by itself.", show_default=False
        ),
    ],
    split: Split = "test",
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """List every fault of a golden set; with a config, also ids and quotes that its corpus lacks."""
    from strata_rag import experiment as use_cases
    from strata_rag import report
    from strata_rag.evaluation import is_golden_file

    if is_golden_file(path):
        found = use_cases.check_golden_file(path, split=split)
    else:
        experiment = load_experiment(path, overrides)
        with show_progress() as progress:
            found = use_cases.check_golden(experiment, progress=progress)
    golden = found.golden
    document: dict[str, Any] = {
        "golden": golden.origin,
        "digest": golden.digest,
        "level": golden.level,
        "questions": len(golden.questions),
        "judgements": golden.judgements,
        "evidence": sum(len(question.evidence) for question in golden.questions),
        "kinds": dict(found.kinds),
        "unlabelled": found.unlabelled,
        "unreviewed": golden.unreviewed,
        "unjudged": golden.unjudged,
        "same_text": [list(pair) for pair in found.same_text],
        "documents": found.documents,
    }
    print_json(document) if as_json else report.print_golden(document)


@golden_app.command("draft")
def draft_command(
    config: ConfigPath,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="Where the draft is written: a new .yaml file."),
    ],
    size: Annotated[int, typer.Option("--size", min=1, help="Passages to ask about.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed draws other passages.")] = 0,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Draft questions from stored chunks with the config's language model, each with a quote; review them."""
    from strata_rag import experiment as use_cases
    from strata_rag.errors import InputError
    from strata_rag.evaluation import golden_yaml

    if output.suffix.lower() not in (".yaml", ".yml"):
        raise typer.BadParameter(f"--output: expected a file that ends with .yaml, found {str(output)!r}")
    if output.exists():
        raise InputError(f"{output}: expected a new file, found one", hint="remove it, or give another name")
    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        found = use_cases.draft_golden(
            experiment,
            size=size,
            seed=seed,
            max_cost=max_cost,
            max_calls=max_calls,
            announce=announce_cost,
            progress=progress,
        )
    write_text(output, golden_yaml(found.golden))
    questions = len(found.golden.questions)
    if as_json:
        dropped = dict(found.dropped)
        print_json({"file": str(output), "questions": questions, "asked": found.asked, "dropped": dropped})
        return
    print(f"{questions} questions from {found.asked} passages in {output}, none reviewed")
    for reason, count in found.dropped.items():
        print(f"{count} passages without one: {reason}")
    print("read each, mend or delete it, and remove its line `reviewed: false`")


@golden_app.command("split")
def split_command(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A golden set: YAML, JSON lines or a folder.", show_default=False
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where dev.yaml and test.yaml are written.")
    ],
    dev: Annotated[float, typer.Option("--dev", help="Share of the questions that go to dev.yaml.")] = 0.5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed deals otherwise.")] = 0,
    split: Split = "test",
    as_json: AsJson = False,
) -> None:
    """Deal the questions of each kind into dev.yaml and test.yaml."""
    from strata_rag.errors import InputError
    from strata_rag.evaluation import golden_yaml, load_golden, split_golden

    if not 0 < dev < 1:
        raise typer.BadParameter(f"--dev: expected a share between 0 and 1, found {dev:g}")
    halves = dict(
        zip(("dev", "test"), split_golden(load_golden(path, split=split), share=dev, seed=seed), strict=True)
    )
    for name, half in halves.items():
        target = output / f"{name}.yaml"
        if target.exists():
            raise InputError(
                f"{target}: expected a new file, found one", hint="remove it, or name another folder"
            )
        if not half.questions:
            raise InputError(
                f"--dev: expected questions on both sides, found none in {name}",
                hint="give a share nearer to 0.5, or more questions",
            )
    for name, half in halves.items():
        write_text(output / f"{name}.yaml", golden_yaml(half))
    counts = {name: len(half.questions) for name, half in halves.items()}
    if as_json:
        print_json({"questions": counts, "seed": seed, "folder": str(output)})
    else:
        print(
            f"{counts['dev']} questions in {output / 'dev.yaml'}, {counts['test']} in {output / 'test.yaml'}"
        )
