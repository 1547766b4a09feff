# SPDX-License-Identifier: BSD-3-Clause
"""What `spur report` says of a program that knows its own truth (tests/programs/truth.h)."""

import json
import math
import re

from report_schema import report_faults

NS = 1_000_000_000
ODD = re.compile(r"\bnan\b|\binf\b|-\d+\.?\d* *(?:n|u|m)?s\b", re.IGNORECASE)


class Reported:
    """A traced run: `truth` is what the program tells, in seconds; `json` the report."""

    def __init__(self, run, label, program, options=(), ranks=0, env=None):
        self.run, self.label = run, label
        words = [*options, *run.launcher(ranks), *run.command(program.split())]
        result, self.place = run.record(label, words, env)
        self.truth = {name: int(value) / NS for name, value in
                      (line.split() for line in result.stdout.splitlines())}
        self.json = json.loads(self.report("--json"), parse_constant=self.no_number)
        self.rows = {row["region"]: row for row in self.json["sections"]["regions"]}
        self.text = self.report()
        print(f"  {label}: {self.truth}")
        self.check_numbers()

    def report(self, *options):
        return self.run.says("report", *options, self.place)

    def no_number(self, word):
        raise self.run.Failed(f"{self.label}: {word} in the JSON")

    def check_numbers(self):
        """No percentage above 100, nothing negative, no `nan`, whatever the mode."""
        self.run.equal(report_faults(self.json), [], f"{self.label}: the schema")
        for name, rows in self.json["sections"].items():
            for row in rows:
                for key, value in row.items():
                    if not isinstance(value, (int, float)) or key == "drift_percent":  # it has a sign
                        continue
                    self.run.expect(math.isfinite(value) and value >= 0, f"{name}: {row}")
                    if key.endswith("percent"):
                        self.run.expect(value <= 100.0001, f"{key} of {name}: {row}")
        for finding in self.json["findings"]:
            self.run.expect(0 <= finding["percent"] <= 100.0001, finding)
        self.run.expect(not ODD.search(self.text), f"{self.label}: no odd number in\n{self.text}")

    def near(self, what, got, want, part, seconds=0.0):
        """Up to a part of what is true, or some seconds."""
        print(f"    {what}: {got} of {want}")
        self.run.expect(got is not None and abs(got - want) <= part * want + seconds,
                        f"{self.label}: {what} is {want}, reported {got}\n{self.text}")

    def total(self, region):
        return self.rows.get(region, {}).get("total")

    def self_of(self, region):
        return (self.rows.get(region) or {}).get("self") or 0.0
