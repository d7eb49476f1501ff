"""The targets of targets.json, and whether a set of figures reaches them."""

import json
import math

from paths import PACKAGE


class Target:
    """One figure, and what it should be at most or at least.

    A figure is the time, the bytes, the instructions or the computed values of an operation, or the
    speed-up of a peer by a second thread (`of` a comparison, `threads` if it names none); with `per`,
    divided by that of another one; with `less`, less that of another one; with `each`, divided by as many.
    In a row with `names`, operations with a `*` stand for one of each name: the figure is their geometric
    mean, or with `largest` the largest. A target that is missed may have a `ceiling`, which the figure must
    not pass again.
    """

    def __init__(self, row, entry):
        self.operation = row["operation"]
        self.rounds = row.get("rounds", 30)
        self.measure = next(
            key for key in ("time", "bytes", "instructions", "values", "speedUp") if key in entry)
        self.threads = entry.get("of", "threads")
        self.subject, self.per = entry[self.measure], entry.get("per")
        self.at_most, self.at_least = entry.get("atMost"), entry.get("atLeast")
        self.less, self.ceiling = entry.get("less"), entry.get("ceiling")
        self.each, self.is_largest = entry.get("each"), entry.get("largest", False)
        self.instances = row["names"] if "*" in self.subject else ["*"]

    @property
    def names(self):
        """The operations that have to be measured."""
        names = [name for name in (self.subject, self.per, self.less) if name]
        if self.measure == "speedUp":
            return [f"{self.threads}/{name}-{threads}" for name in names for threads in (1, 2)]
        return [name.replace("*", instance) for instance in self.instances for name in names]

    def figure(self, figures):
        """The figure, or None if something has not been measured."""
        if any(figures.get(self.measured, name) is None for name in self.names):
            return None
        values = [self._instance(figures, name) for name in self.instances]
        if self.is_largest:
            return max(values)
        return values[0] if len(values) == 1 else math.exp(sum(map(math.log, values)) / len(values))

    def _instance(self, figures, instance):
        value = self._value(figures, self.subject, instance)
        if self.less:
            value -= self._value(figures, self.less, instance)
        if self.each:
            value /= self.each
        return value / self._value(figures, self.per, instance) if self.per else value

    @property
    def measured(self):
        return "time" if self.measure == "speedUp" else self.measure

    def _value(self, figures, name, instance="*"):
        if self.measure == "speedUp":
            one, two = (figures.get("time", f"{self.threads}/{name}-{count}") for count in (1, 2))
            # Two threads do twice as much.
            return 2 * one / two
        return figures.get(self.measure, name.replace("*", instance))

    def is_unclear(self, figures):
        """Whether the machine was too busy for two threads, so that a ratio of speed-ups says nothing."""
        return self.measure == "speedUp" and self._value(figures, self.per) < 1.3

    def is_reached(self, figure):
        return figure <= self.at_most if self.at_most is not None else figure >= self.at_least

    def is_below_ceiling(self, figure):
        return self.is_reached(figure) or self.ceiling is not None and figure <= self.ceiling

    @property
    def description(self):
        words = {"time": "time of", "bytes": "bytes of", "instructions": "instructions of",
                 "values": "values computed by", "speedUp": "speed-up by a second thread of"}
        text = f"{words[self.measure]} {self.subject}"
        if self.measure == "speedUp" and self.threads != "threads":
            text += f" in {self.threads}"
        if self.less:
            text += f" − {self.less}"
        if self.each:
            text += f", ÷ {self.each}"
        if self.per:
            text += f" ÷ {self.per}"
        if len(self.instances) == 1:
            return text
        return text + (", largest" if self.is_largest else ", geometric mean")

    @property
    def bound(self):
        sign, bound = ("≤", self.at_most) if self.at_most is not None else ("≥", self.at_least)
        return f"{sign} {self.formatted(bound)}"

    def formatted(self, value):
        if self.per:
            return f"{value:.2f} ×" if value < 10 else f"{value:.1f} ×"
        return f"{value:,.0f}" + (" ns" if self.measure == "time" else "")


def rows():
    return json.loads((PACKAGE / "targets.json").read_text())["rows"]


def names(operation):
    """The names that a row stands for."""
    return next(row["names"] for row in rows() if row["operation"] == operation)


def load():
    return [Target(row, entry) for row in rows() for entry in row["targets"]]
