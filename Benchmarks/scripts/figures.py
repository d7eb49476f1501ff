"""What has been measured: for each measure and each operation, as set-int-1/Observed, one number."""

import csv
import json
import platform
import re

from commands import output
from paths import RELEASE, RESULTS


class Figures:
    """Times are in nanoseconds, and the lower quartile of all rounds: most of what slows a round down is
    not the operation, and a single round may be fast by luck."""

    def __init__(self, machine=None, values=None):
        self.machine = machine or {}
        self.values = values or {}

    def get(self, measure, name):
        return self.values.get(measure, {}).get(name)

    def set(self, measure, name, value):
        self.values.setdefault(measure, {})[name] = value

    def read_export(self, path):
        """Adds the figures of the benchmarks' own export, see Comparisons.swift."""
        with open(path, encoding="utf-8") as file:
            lines = csv.DictReader(line for line in file if not line.startswith("#"))
            for line in lines:
                if float(line["percentile"]) != 25:
                    continue
                peer, measure = line["metric"].split(".")
                # Times are exported in picoseconds, values in thousandths.
                value = float(line["value"]) / (1 if measure == "bytes" else 1000)
                self.set(measure, f"{line['test']}/{peer}", value)

    def read_lines(self, text):
        """Adds what Compare and kvo print: name, lower quartile and median of the times, bytes, and
        values if they are counted."""
        for line in text.splitlines():
            name, quartile, _, size, *values = line.split()
            self.set("time", name, float(quartile))
            self.set("bytes", name, float(size))
            if values:
                self.set("values", name, float(values[0]))

    def compare(self, names, rounds):
        """Measures operations side by side in one process."""
        self.read_lines(output([RELEASE / "Compare", str(rounds), *names]))

    def run_kvo(self, path, rounds):
        self.read_lines(output([path, str(rounds)]))

    def save(self):
        """One line for each operation, so that a difference can be read."""
        lines = []
        for measure, values in sorted(self.values.items()):
            entries = ",\n".join(
                f"    {json.dumps(name)}: {round(value, 2):g}" if value < 1000
                else f"    {json.dumps(name)}: {value:.0f}"
                for name, value in values.items())
            lines.append(f"  {json.dumps(measure)}: {{\n{entries}\n  }}")
        machine = json.dumps(self.machine, ensure_ascii=False)
        body = ",\n".join([f'  "machine": {machine}', *lines])
        RESULTS.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")

    @staticmethod
    def load():
        values = json.loads(RESULTS.read_text(encoding="utf-8"))
        return Figures(values.pop("machine"), values)


def machine():
    """What the figures depend on."""
    information = open("/proc/cpuinfo", encoding="utf-8").read()
    field = lambda name: re.search(rf"^{name}\s*: (.*)", information, re.MULTILINE)[1].strip()
    return {
        "processor": f"{field('model name')} (family {field('cpu family')}, model {field('model')})",
        "cores": len(re.findall(r"^processor\s*:", information, re.MULTILINE)),
        "system": f"{platform.system()} {platform.machine()}",
        "swift": re.search(r"Swift version (\S+)", output(["swift", "--version"]))[1],
    }

