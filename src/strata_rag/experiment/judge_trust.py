"""Whether a gate may go by a judge: how far it agrees with people's labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from strata_rag.config import Judge
from strata_rag.errors import NotMeasurable, StrataError
from strata_rag.evaluation import AnswersRecord, Measure, StoredRun, find_run, read_labels
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.calibration import calibrate_judge

_PASSED = Measure("Passed")


def distrust(experiment: Experiment, measures: Sequence[Measure], run: StoredRun) -> dict[Measure, str]:
    """Return why rules on judged measures can't be decided; nothing where the config asks for no agreement.

    The agreement counts measure by measure; for ``Passed`` every measure of the policy counts.

    Args:
        experiment: The components.
        measures: Judged measures that rules are about.
        run: The run that is to be decided, with its judge.
    """
    judge = experiment.config.evaluation.judge
    if judge.min_agreement is None or not measures:
        return {}
    try:
        kappas = _kappas(experiment, judge, run)
    except StrataError as error:
        return dict.fromkeys(measures, f"the judge's agreement with people: {error.message}")
    reasons = {}
    for measure in measures:
        names = _policy_measures(run) if measure == _PASSED else [measure.name]
        found = {name: kappas.get(name) for name in names}
        if any(kappa is None or not kappa >= judge.min_agreement for kappa in found.values()):
            shown = ", ".join(f"{name} {'none' if k is None else f'{k:.2f}'}" for name, k in found.items())
            expected = f"an agreement with people of at least {judge.min_agreement:g} (weighted kappa)"
            reasons[measure] = f"expected {expected}, found {shown}"
    return reasons


def _policy_measures(run: StoredRun) -> list[str]:
    record = run.record.answers
    return list(record.policy.get("minimums", {})) if record else []


def _kappas(experiment: Experiment, judge: Judge, run: StoredRun) -> Mapping[str, float]:
    """Return each measure's kappa, of the judge and prompts that this run used.

    Raises:
        NotMeasurable: The labels are about another judge.
    """
    assert judge.labels is not None
    runs_dir = experiment.workspace.runs
    for ref in sorted({label.run for label in read_labels(judge.labels) if label.run}):
        if _judge_of(find_run(runs_dir, ref).record.answers) != _judge_of(run.record.answers):
            raise NotMeasurable(
                f"{judge.labels}: expected labels of answers that this judge graded with these prompts, found {ref}",
                hint="label a sample of this judge's, and run `strata judge calibrate`",
            )
    found = calibrate_judge(runs_dir, judge.labels, seed=experiment.config.evaluation.seed)
    return {str(name): one.kappa for name, one in found.people[0].measures.items()}


def _judge_of(record: AnswersRecord | None) -> tuple[object, ...]:
    judge = (record.judge if record else None) or {}
    prompts = dict(record.prompts) if record else {}
    return judge.get("provider"), judge.get("model"), judge.get("base_url"), prompts
