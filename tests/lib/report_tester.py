# SPDX-License-Identifier: BSD-3-Clause
"""What tests of `spur report` have in common that know each row of its tables beforehand."""

import csv
import io
import os
import subprocess

from patience import HANG_S
from seeded import Seeded


def of_csv(cell, value):
    return cell if isinstance(value, str) else float(cell) if cell else None


class ReportTester(Seeded):
    def __init__(self, name, build, folder):
        super().__init__(name, folder)
        self.report = os.path.join(build, "libexec", "spur", "spur-report")

    def run(self, *words, before=()):
        return subprocess.run([*before, self.report, *words], stdout=subprocess.PIPE, check=True,
                              env=self.env, timeout=HANG_S, text=True).stdout

    def compare_section(self, archive, section, keys, reported, expected, words=()):
        """`expected` has the values of rows by those of `keys`. Returns the rows by the same."""
        rows = {tuple(row[key] for key in keys): row for row in reported}
        what = " ".join((archive, *words, section))
        self.same(what, (sorted(rows), len(rows)), (sorted(expected), len(reported)))
        for key in set(rows) & set(expected):
            self.compare_row(f"{what} {key}", rows[key], expected[key])
        told = list(csv.DictReader(io.StringIO(self.run("--csv", "--by", section, *words, archive))))
        self.same(f"{what} as CSV", len(told), len(rows))
        for line, row in zip(told, reported):
            read = {name: of_csv(line[name], row[name]) for name in row}
            self.compare_row(f"{what} as CSV", read, row)
        return rows

    def compare_row(self, what, row, expected):
        for name, value in expected.items():
            is_same = row[name] == value if isinstance(value, str) or None in (value, row[name]) else \
                abs(row[name] - value) <= 1e-9 * max(1.0, abs(value))
            if not is_same:
                self.same(f"{what} {name}", row[name], value)

    def same_with(self, archive, words, more, before=()):
        self.same(f"spur report {words} {more} {before} of {archive}",
                  self.run(*more, *words, archive, before=before),
                  self.run("--threads", "1", *words, archive))
