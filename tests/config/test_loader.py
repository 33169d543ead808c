from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from strata_rag.config import load_config
from strata_rag.config.keys import all_keys
from strata_rag.errors import ConfigError

from .conftest import Load, Refuse

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted([*ROOT.glob("configs/*.yaml"), *ROOT.glob("benchmarks/configs/*.yaml")])


def test_all_faults_of_all_sources_come_together_in_order(refuse: Refuse, folder: Path) -> None:
    (folder / "base.yaml").write_text("seed: 1\nindex: {engine: cloud}\n")
    error = refuse(
        "retrieval: {top_k: 0, mode: x}\nextends: base.yaml\nname: a\nname: b\n",
        environ={"STRATA_CHUNKING__SIZ": "3", "STRATA_CHUNKING__SIZE": "x"},
        overrides=["a=1", "evaluation.level=page"],
    )
    assert [fault.where for fault in error.faults] == [
        "experiment.yaml:1:20",
        "experiment.yaml:1:29",
        "experiment.yaml:4:1",
        "base.yaml:1:1",
        "base.yaml:2:17",
        "environment STRATA_CHUNKING__SIZ",
        "environment STRATA_CHUNKING__SIZE",
        "--set",
        "--set",
    ]
    assert "base.yaml:1:1: did you mean `evaluation.seed`?" in error.hint
    assert error.exit_code == 2


def test_overrides_are_checked_even_if_the_file_cannot_be_read(folder: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config("missing.yaml", overrides=["zzzzzz=1"], environ={})
    assert caught.value.lines == [
        "missing.yaml: expected a YAML file, found no such file",
        "--set: unknown key `zzzzzz`",
    ]


def test_a_missing_file_names_its_neighbour(folder: Path) -> None:
    (folder / "sample.yaml").touch()
    with pytest.raises(ConfigError) as caught:
        load_config("sampel.yaml", environ={})
    assert caught.value.hint == "did you mean sample.yaml?"


def test_a_folder_is_no_config(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"^\.: expected a YAML file, found a folder"):
        load_config(".", environ={})


def test_faults_name_the_path_as_it_was_given(folder: Path) -> None:
    (folder / "sub").mkdir()
    Path("sub/e.yaml").write_text("x: 1\ncorpus: {root: d}")
    for given in ("sub/e.yaml", "./sub/e.yaml", "sub/../sub/e.yaml", str(folder / "sub" / "e.yaml")):
        with pytest.raises(ConfigError) as caught:
            load_config(given, environ={})
        assert caught.value.lines == [f"{given}:1:1: unknown key `x`"]


def test_a_config_names_itself_after_its_file(load: Load, folder: Path) -> None:
    loaded = load(name="hand-book.v2.yaml")
    assert loaded.config.name == "hand-book.v2"
    assert loaded.origins["name"] == "default"
    assert loaded.path == folder / "hand-book.v2.yaml"
    assert load("name: ~\n").config.name == "experiment"


def test_a_file_name_that_cannot_name_a_folder_is_refused(refuse: Refuse) -> None:
    error = refuse(name="my conf.yaml")
    assert error.lines[0].startswith("my conf.yaml:1:1: name: expected at most 80 letters")
    assert error.hint == "set `name` to a text that can name a folder"


def test_a_stated_name_at_a_file_whose_stem_is_no_name_is_fine(load: Load) -> None:
    assert load("name: good\n", name="my conf.yaml").config.name == "good"


def test_every_key_has_an_origin(load: Load) -> None:
    leaves = [key.path for key in all_keys().values() if not key.section]
    price = "price={input: 3, output: 15}"
    nullable = ["retrieval.fusion.weights={dense: 2}", f"generation.{price}", f"retrieval.rerank.llm.{price}"]
    nullable.append(f"evaluation.judge.{price}")
    origins = load(overrides=nullable).origins
    assert list(origins) == leaves
    assert origins["retrieval.fusion.weights.dense"] == "--set"
    assert origins["retrieval.fusion.weights.lexical"] == "default"


def test_unset_weights_have_one_origin(load: Load) -> None:
    origins = load("retrieval: {fusion: {weights: null}}\n").origins
    assert origins["retrieval.fusion.weights"] == "experiment.yaml:1:22"
    assert "retrieval.fusion.weights.dense" not in origins


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_loads_and_names_itself_after_its_file(path: Path) -> None:
    loaded = load_config(path, environ={})
    assert loaded.config.name == path.stem
    assert loaded.config.evaluation.golden is not None


def test_the_defaults_spelled_out_are_the_defaults(load: Load) -> None:
    spelled = load_config(ROOT / "configs" / "mpnet-cross-encoder.yaml", environ={}).config
    default = load().config
    for section in ("chunking", "embedding", "index", "retrieval"):
        assert getattr(spelled, section) == getattr(default, section)
    assert spelled.evaluation.measures == default.evaluation.measures


def test_the_sample_and_the_baseline_say_what_they_are_for() -> None:
    sample = load_config(ROOT / "configs" / "sample.yaml", environ={}).config
    assert sample.corpus.root == ROOT / "data" / "sample"
    assert sample.embedding.model == "all-MiniLM-L6-v2"
    assert (sample.retrieval.rerank.scorer, sample.retrieval.rerank.combine) == ("late-interaction", "rrf")
    baseline = load_config(ROOT / "configs" / "minilm-baseline.yaml", environ={}).config
    assert (baseline.retrieval.mode, baseline.retrieval.rerank.scorer) == ("dense", "none")
    assert baseline.corpus == sample.corpus


@pytest.mark.parametrize("name", ["cranfield", "anthropic-docs"])
def test_a_benchmark_finds_its_data_through_the_variable(name: str) -> None:
    environ = {"STRATA_BENCH_DATA": "/data"}
    config = load_config(ROOT / "benchmarks" / "configs" / f"{name}.yaml", environ=environ).config
    assert config.corpus.root == config.evaluation.golden == Path(f"/data/beir/{name}")
    assert (config.corpus.format, config.chunking.strategy) == ("beir", "document")
    assert "nDCG@10" in config.evaluation.measures


def test_the_environment_is_only_read_where_it_is_given(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_RETRIEVAL__TOP_K", "9")
    monkeypatch.setenv("RAGEVAL_USE_RERANK", "no")
    assert load().config.retrieval.top_k == 5
    assert load().notes == ()


def test_the_package_brings_nothing_heavy() -> None:
    code = (
        "import sys, strata_rag.config\n"
        "heavy = {'numpy', 'torch', 'transformers', 'qdrant_client', 'rich', 'typer'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(ROOT / "src")})


def test_a_fault_in_the_first_line_does_not_hide_a_missing_root(refuse: Refuse) -> None:
    lines = refuse("<<: {}\n", root=False).lines
    assert sorted(line.split(": ")[1] for line in lines) == ["corpus.root", "expected a key, found `<<`"]
