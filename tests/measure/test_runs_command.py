import json
import os
from datetime import UTC, datetime

import pytest

from strata_rag.experiment import prune_runs

NOW = datetime(2026, 1, 10, tzinfo=UTC)


def ids(runs):
    return [run.record.run_id for run in runs]


@pytest.fixture
def five_runs(make_run, runs_dir):
    """run1 to run4 of system a, run5 of b; a damaged folder, and the rests of two killed writes."""
    for _ in range(4):
        make_run([1, 2], label="a")
    make_run([1, 2], label="b")
    (runs_dir / "broken").mkdir()
    for name in (".old.partial", ".new.partial"):
        (runs_dir / name).mkdir()
    os.utime(runs_dir / ".old.partial", (0, 0))
    os.utime(runs_dir / ".new.partial", (NOW.timestamp(), NOW.timestamp()))
    return runs_dir


def test_pruning_keeps_the_newest_of_each_label_and_only_plans_by_default(five_runs):
    plan = prune_runs(five_runs, keep=2, now=NOW, carry_out=False)
    assert ids(plan.removed) == ["run2", "run1"]
    assert (plan.kept, plan.done, plan.damaged) == (3, False, ())
    assert [path.name for path in plan.partial] == [".old.partial"]
    assert (five_runs / "run1").is_dir()


def test_pruning_removes_what_its_plan_says_and_nothing_else(five_runs):
    prune_runs(five_runs, keep=1, damaged=True, now=NOW, carry_out=True)
    assert sorted(path.name for path in five_runs.iterdir()) == [".new.partial", "run4", "run5"]
    assert prune_runs(five_runs, keep=1, damaged=True, now=NOW, carry_out=True).removed == ()


def test_pruning_spares_young_runs(five_runs):
    assert prune_runs(five_runs, keep=1, older_than_days=30, now=NOW, carry_out=False).removed == ()
    assert ids(prune_runs(five_runs, keep=1, older_than_days=5, now=NOW, carry_out=False).removed) == [
        "run3",
        "run2",
        "run1",
    ]


def test_pruning_an_empty_workspace_does_nothing(tmp_path):
    assert prune_runs(tmp_path / "none", keep=1, now=NOW, carry_out=True).removed == ()


def test_the_commands_list_show_and_prune(five_runs, strata):
    listed = strata("runs", "list")
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.index("run5") < listed.stdout.index("run1")
    assert "damaged: broken:" in listed.stdout
    document = json.loads(strata("runs", "list", "--json").stdout)
    assert [run["run_id"] for run in document["runs"]] == ["run5", "run4", "run3", "run2", "run1"]
    shown = strata("runs", "show", "latest")
    assert "label       handbook: b" in shown.stdout
    assert "nDCG@10" in shown.stdout
    assert json.loads(strata("runs", "show", "run1", "--json").stdout)["seed"] == 0
    plan = strata("runs", "prune", "--keep", "1")
    assert "would remove run1" in plan.stdout
    assert (five_runs / "run1").is_dir()
    done = json.loads(strata("runs", "prune", "--keep", "1", "--yes", "--json").stdout)
    assert (done["kept"], done["done"]) == (2, True)
    assert not (five_runs / "run1").exists()


def test_a_workspace_without_runs_lists_none_and_shows_an_error(strata):
    assert strata("runs", "list").stdout == "no runs\n"
    ended = strata("runs", "show", "latest")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 2
