"""Plots as inline SVG: colours come from the page's style sheet, text stays text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from strata_rag.report import figures
from strata_rag.report.page_html import Html, el, join

_WIDTH = 380.0  # of the wide plots: a phone's width, so that their text is never scaled down
_BARS_WITH_TITLE = 400


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + share * (self.end - self.start)


def interval_scale(values: Sequence[float], *, around_zero: bool, width: float = 200.0) -> Scale:
    """Return a scale that holds all values, and 0 where they are differences."""
    known = [value for value in values if not math.isnan(value)] or [0.0]
    low, high = min(known), max(known)
    if around_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.05 * (high - low) or 0.01
    return Scale(low - margin, high + margin, 4, width - 4)


def interval_plot(value: float, low: float, high: float, scale: Scale, *, zero: bool, place: int = 0) -> Html:
    """Draw one point with its interval on a scale that a column of rows shares."""
    if math.isnan(value):
        return Html("")
    marks = [el("line", x1=scale.start, x2=scale.end, y1=10, y2=10, cls="axis")]
    if zero:
        marks.append(el("line", x1=scale(0), x2=scale(0), y1=0, y2=20, cls="zero"))
    if not math.isnan(low):
        marks.append(el("line", x1=scale(low), x2=scale(high), y1=10, y2=10, cls=f"whisker c{place % 8}"))
        marks += [
            el("line", x1=scale(end), x2=scale(end), y1=5, y2=15, cls=f"whisker c{place % 8}")
            for end in (low, high)
        ]
    marks.append(el("circle", cx=scale(value), cy=10, r=4.5, cls=f"point c{place % 8}"))
    label = f"{figures.value(value)}, {figures.interval(low, high)}"
    width = scale.end + 4
    return _svg(width, 20, label, *marks, cls="interval")


def axis_plot(scale: Scale, *, signed: bool) -> Html:
    """Draw the axis of a column of `interval_plot`."""
    parts = []
    for tick in _ticks(scale.low, scale.high, 3):
        parts.append(el("line", x1=scale(tick), x2=scale(tick), y1=16, y2=20, cls="tick"))
        label = f"{tick:+.2f}" if signed and tick else f"{tick:.2f}"
        x = min(max(scale(tick), 16), scale.end - 12)
        parts.append(el("text", label, x=x, y=12, cls="label middle"))
    return _svg(scale.end + 4, 20, "axis", *parts, cls="interval")


def difference_plot(differences: Sequence[float], names: Sequence[str], *, title: str) -> Html:
    """Draw one bar per question, from the largest loss to the largest gain.

    Args:
        differences: One per question, without NaN.
        names: What each question is called.
        title: Says whose differences these are.
    """
    order = sorted(range(len(differences)), key=lambda place: (differences[place], place))
    reach = max((abs(value) for value in differences), default=0.0) or 1.0
    top, bottom, left = 14.0, 150.0, 42.0
    y = Scale(-reach, reach, bottom, top)
    x = Scale(0, max(len(order), 1), left, _WIDTH - 4)
    parts = []
    for tick in (-reach, 0.0, reach):
        parts.append(
            el("line", x1=left, x2=_WIDTH - 4, y1=y(tick), y2=y(tick), cls="zero" if tick == 0 else "grid")
        )
        parts.append(el("text", f"{tick:+.2f}" if tick else "0", x=left - 4, y=y(tick) + 4, cls="label end"))
    width = max((x.end - x.start) / max(len(order), 1), 0.2)
    for slot, place in enumerate(order):
        value = differences[place]
        if value == 0:
            continue
        children = [el("title", f"{names[place]}: {value:+.3f}")] if len(order) <= _BARS_WITH_TITLE else []
        cls = "gain" if value > 0 else "loss"
        height = abs(y(value) - y(0))
        bar = el(
            "rect",
            *children,
            x=x(slot),
            y=min(y(value), y(0)),
            width=max(width * 0.9, 0.2),
            height=height,
            cls=cls,
        )
        parts.append(bar)
    parts += _counts(differences, left=left, y=bottom + 16)
    return _svg(_WIDTH, bottom + 22, title, *parts, cls="wide")


def _counts(differences: Sequence[float], *, left: float, y: float) -> list[Html]:
    gains = sum(value > 0 for value in differences)
    losses = sum(value < 0 for value in differences)
    same = len(differences) - gains - losses
    return [
        el("text", f"{losses} worse", x=left + 2, y=y, cls="label"),
        el("text", f"{same} the same", x=(left + _WIDTH) / 2, y=y, cls="label middle"),
        el("text", f"{gains} better", x=_WIDTH - 4, y=y, cls="label end"),
    ]


@dataclass(frozen=True, slots=True)
class Point:
    """One run in the plot of quality against time."""

    number: int
    name: str
    milliseconds: float
    value: float
    low: float
    high: float


def latency_plot(points: Sequence[Point], *, measure: str) -> Html:
    """Draw quality with its interval against the median time of a question, on a logarithmic axis."""
    known = [point for point in points if not math.isnan(point.milliseconds) and not math.isnan(point.value)]
    if not known:
        return Html("")
    ends = [end for point in known for end in (point.low, point.high, point.value) if not math.isnan(end)]
    margin = 0.08 * (max(ends) - min(ends)) or 0.02
    top, bottom, left = 22.0, 216.0, 40.0
    y = Scale(min(ends) - margin, max(ends) + margin, bottom, top)
    times = [math.log10(max(point.milliseconds, 0.01)) for point in known]
    x = Scale(min(times) - 0.25, max(times) + 0.25, left, _WIDTH - 8)
    parts = [el("text", measure, x=2, y=12, cls="label")]
    for tick in _ticks(y.low, y.high, 4):
        parts.append(el("line", x1=left, x2=_WIDTH - 8, y1=y(tick), y2=y(tick), cls="grid"))
        parts.append(el("text", f"{tick:.2f}", x=left - 5, y=y(tick) + 4, cls="label end"))
    for tick in _time_ticks(x):
        parts.append(
            el("line", x1=x(math.log10(tick)), x2=x(math.log10(tick)), y1=bottom, y2=bottom + 5, cls="tick")
        )
        parts.append(el("text", _duration(tick), x=x(math.log10(tick)), y=bottom + 18, cls="label middle"))
    parts.append(el("line", x1=left, x2=_WIDTH - 8, y1=bottom, y2=bottom, cls="axis"))
    parts.append(el("text", "median time of a question", x=_WIDTH - 8, y=bottom + 34, cls="label end"))
    for point, time in zip(known, times, strict=True):
        title = f"{point.name}: {figures.value(point.value)}, {point.milliseconds:.1f} ms"
        color = f"c{(point.number - 1) % 8}"
        marks = [el("title", title)]
        if not math.isnan(point.low):
            marks.append(
                el("line", x1=x(time), x2=x(time), y1=y(point.low), y2=y(point.high), cls=f"whisker {color}")
            )
        marks.append(el("circle", cx=x(time), cy=y(point.value), r=5, cls=f"point {color}"))
        marks.append(el("text", str(point.number), x=x(time) + 8, y=y(point.value) + 4, cls="label strong"))
        parts.append(el("g", *marks))
    return _svg(_WIDTH, bottom + 40, f"{measure} against time", *parts, cls="wide")


def _svg(width: float, height: float, title: str, *children: str, cls: str) -> Html:
    return el(
        "svg",
        join(*children),
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        aria_label=title,
        cls=cls,
    )


def _ticks(low: float, high: float, count: int) -> list[float]:
    """Return round values between two ends, about `count` of them."""
    raw = (high - low) / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= raw)
    first = math.ceil(low / step)
    return [round(place * step, 10) for place in range(first, math.floor(high / step) + 1)]


def _time_ticks(scale: Scale) -> list[float]:
    ticks = [
        digit * 10.0**power
        for power in range(math.floor(scale.low), math.ceil(scale.high) + 1)
        for digit in (1, 2, 5)
    ]
    inside = [tick for tick in ticks if scale.low <= math.log10(tick) <= scale.high]
    if len(inside) > 6:
        inside = [tick for tick in inside if math.log10(tick) == round(math.log10(tick))] or inside[:6]
    return inside


def _duration(milliseconds: float) -> str:
    return f"{milliseconds:g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:g} s"
