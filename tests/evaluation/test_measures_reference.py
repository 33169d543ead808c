"""Ours against pytrec_eval and ir-measures, on random rankings without ties and duplicates.

Where they disagree by design (see docs/evaluation.md), the reference is asked only where it is defined:
questions with a relevant item, judgements of 0 and above, whole grades.
"""

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from strata_rag.evaluation import GoldenSet, Measure, Question, evaluate

CASES = 1000
CUTOFFS = (1, 3, 5, 10, 100)
TREC = {
    "nDCG": "ndcg_cut_{}",
    "Recall": "recall_{}",
    "Precision": "P_{}",
    "Hit": "success_{}",
    "MAP": "map_cut_{}",
}
IR_MEASURES = {
    "nDCG": "nDCG@{}",
    "Recall": "R@{}",
    "Precision": "P@{}",
    "Hit": "Success@{}",
    "MAP": "AP@{}",
    "MRR": "RR@{}",
    "Judged": "Judged@{}",
}


@pytest.fixture(scope="module")
def cases():
    """Question id -> ranking and question id -> judgements, of every shape."""
    rng = np.random.Generator(np.random.PCG64(2026))
    rankings, qrels = {}, {}
    for q in range(CASES):
        pool = [f"d{i}" for i in rng.permutation(60)]
        length = int(rng.integers(1, 61))
        judged = rng.permutation(pool)[: rng.integers(1, 40)].tolist()
        grades = rng.integers(0, 4, len(judged))
        grades[0] = max(1, grades[0])
        rankings[f"q{q}"] = pool[:length]
        qrels[f"q{q}"] = {item: int(grade) for item, grade in zip(judged, grades, strict=True)}
    return rankings, qrels


def ours(name, cases):
    rankings, qrels = cases
    golden = GoldenSet(tuple(Question(q, "?", judged) for q, judged in qrels.items()))
    return evaluate([Measure(name, k) for k in CUTOFFS], rankings, golden).values


def as_run(rankings, depth=None):
    return {q: {item: float(-r) for r, item in enumerate(items[:depth])} for q, items in rankings.items()}


@pytest.mark.parametrize("name", TREC)
def test_values_equal_pytrec_eval(name, cases):
    rankings, qrels = cases
    keys = [TREC[name].format(k) for k in CUTOFFS]
    found = pytrec_eval.RelevanceEvaluator(qrels, set(keys)).evaluate(as_run(rankings))
    expected = np.array([[found[q][key] for key in keys] for q in qrels])
    np.testing.assert_allclose(ours(name, cases), expected, rtol=0, atol=1e-9)


def test_mrr_equals_pytrec_eval_on_a_ranking_cut_at_k(cases):
    rankings, qrels = cases
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"})
    columns = []
    for k in CUTOFFS:
        found = evaluator.evaluate(as_run(rankings, k))
        columns.append([found[q]["recip_rank"] for q in qrels])
    np.testing.assert_allclose(ours("MRR", cases), np.array(columns).T, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", IR_MEASURES)
def test_values_equal_ir_measures(name, cases):
    rankings, qrels = cases
    measures = [ir_measures.parse_measure(IR_MEASURES[name].format(k)) for k in CUTOFFS]
    found = {
        (metric.query_id, metric.measure): metric.value
        for metric in ir_measures.iter_calc(measures, qrels, as_run(rankings))
    }
    expected = np.array([[found[q, measure] for measure in measures] for q in qrels])
    np.testing.assert_allclose(ours(name, cases), expected, rtol=0, atol=1e-9)


def test_exponential_gain_equals_ir_measures_with_its_gains_given(cases):
    rankings, qrels = cases
    measures = [ir_measures.nDCG(gains={1: 1, 2: 3, 3: 7}) @ k for k in CUTOFFS]
    found = {
        (metric.query_id, metric.measure): metric.value
        for metric in ir_measures.iter_calc(measures, qrels, as_run(rankings))
    }
    expected = np.array([[found[q, measure] for measure in measures] for q in qrels])
    np.testing.assert_allclose(ours("nDCG(exp)", cases), expected, rtol=0, atol=1e-9)


def test_the_references_give_zero_where_nothing_is_relevant_and_ours_is_undefined():
    run, qrels = {"q": {"d1": 1.0}}, {"q": {"d1": 0}}
    found = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_3", "map_cut_3"}).evaluate(run)
    assert found["q"] == {"ndcg_cut_3": 0.0, "map_cut_3": 0.0}
    golden = GoldenSet((Question("q", "?", {"d1": 0.0}),))
    assert np.isnan(evaluate([Measure("nDCG", 3), Measure("MAP", 3)], {"q": ["d1"]}, golden).values).all()
