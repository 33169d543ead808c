"""A gate's decision as text, JSON, Markdown and JUnit XML."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from strata_rag.evaluation import GateResult, RuleResult, Status
from strata_rag.report import figures
from strata_rag.report.compare_documents import number
from strata_rag.report.markdown import escape, table
from strata_rag.report.tables import print_rows

_HEADINGS = ("rule", "result", "value", "baseline", "n", "p", "why")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def print_gate(gate: GateResult) -> None:
    """Print every rule and the decision."""
    print_rows(_HEADINGS, [_cells(result) for result in gate.results], text_columns=2)
    print(f"\n{gate_sentence(gate)}")
    print(f"run {gate.run.path}")
    if gate.baseline is not None:
        print(f"baseline {gate.baseline.path}")


def gate_sentence(gate: GateResult) -> str:
    """Say in one sentence how the gate ended."""
    order: tuple[Status, ...] = ("pass", "regression", "not measurable")
    counts = ", ".join(f"{gate.count(status)} {status}" for status in order if gate.count(status))
    return f"gate: {gate.status} ({counts})"


def gate_document(gate: GateResult) -> dict[str, Any]:
    """Return what ``strata gate --json`` prints."""
    return {
        "status": gate.status,
        "run_id": gate.run.record.run_id,
        "baseline": gate.baseline.record.run_id if gate.baseline is not None else None,
        "min_n": gate.min_n,
        "significance": gate.significance,
        "rules": [
            {
                "rule": str(result.rule),
                "status": result.status,
                "value": number(result.value),
                "baseline": number(result.baseline),
                "n": result.n,
                "p": number(result.p),
                "reason": result.reason,
            }
            for result in gate.results
        ],
        "path": str(gate.run.path),
    }


def gate_markdown(gate: GateResult) -> str:
    """Return the decision as Markdown, for a pull request."""
    record = gate.run.record
    against = f" against `{gate.baseline.record.run_id}`" if gate.baseline is not None else ""
    rows = [[escape(cell) for cell in _cells(result)] for result in gate.results]
    return (
        f"### {escape(gate_sentence(gate))}\n\n"
        f"{escape(record.name)}: {escape(record.label)}, run `{record.run_id}`{against}\n\n"
        f"{table(_HEADINGS, rows, text_columns=2)}\n"
    )


def gate_junit(gate: GateResult) -> str:
    """Return the decision as JUnit XML: a test case per rule, an error where it is not measurable."""
    record = gate.run.record
    suite = ElementTree.Element(
        "testsuite",
        name="strata gate",
        tests=str(len(gate.results)),
        failures=str(gate.count("regression")),
        errors=str(gate.count("not measurable")),
        timestamp=record.created.isoformat(timespec="seconds"),
    )
    for result in gate.results:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(record.name), name=_xml(str(result.rule))
        )
        if result.status == "pass":
            ElementTree.SubElement(case, "system-out").text = _xml(result.reason)
        else:
            tag = "failure" if result.status == "regression" else "error"
            ElementTree.SubElement(case, tag, message=_xml(result.reason), type=result.status)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _cells(result: RuleResult) -> list[str]:
    return [
        str(result.rule),
        result.status,
        figures.value(result.value),
        figures.value(result.baseline),
        str(result.n),
        figures.p_value(result.p),
        result.reason,
    ]


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)
