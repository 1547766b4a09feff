# SPDX-License-Identifier: BSD-3-Clause
"""A team of one thread waits for nobody, with both runtimes: its barriers are cost, and no waiting."""

import os

from viewed import ALONE as ALONE_PATH, Page

of = "wrappers/openmp"
ALONE, TURNS, WORK_S = 2000, 6, 0.02


def line_of(text):
    """The line of the first of these pragmas."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "omp_alone.c")
    with open(source, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def viewed(run, archive, compiler):
    """The seconds of waiting in the view's sums, and in its cells."""
    file = os.path.join(run.scratch, f"{compiler}.html")
    run.says("view", "-o", file, archive)
    page = Page(file)
    paths, level = page.sections["paths"], page.meta["levels"][0]
    yield "sums", sum(own for own, _, _, _, path, _ in page.records("sums") if
                      page.meta["regions"][paths["region"][path]]["waits"] and
                      paths["kind"][path] != ALONE_PATH) / 1e9
    cells = page.levels[0]["waiting"][:len(page.meta["rows"]) * level["n"]]
    yield "cells", sum(cells) / 255 * level["bucket"] / 1e9


def one_run(run, compiler):
    traced, archive = run.record(compiler, run.command([f"{{programs}}/omp_alone.{compiler}"]))
    said = f"{ALONE * (ALONE - 1) // 2} {TURNS * 3 // 2}\n"
    run.equal(traced.stdout, said, compiler)
    told = run.report(archive)
    rows = {row["region"]: row for row in told["sections"]["parallel"]}
    alone, turns = (next(row for name, row in rows.items() if name.endswith(f":{line_of(text)}"))
                    for text in ("num_threads(1)", "num_threads(1 + i % 2)"))
    told_alone = alone["calls"], alone["threads"], alone["barriers"]
    run.equal(told_alone, (ALONE, 1, 0), f"{compiler}: teams of one")
    run.equal((turns["calls"], turns["threads"]), (TURNS, 1.5), f"{compiler}: teams of one and two")
    least = WORK_S * TURNS / 2
    run.expect(turns["barriers"] > 0.8 * least, f"{compiler}: waiting of the second thread {turns}")
    select = "SELECT sum(wait_s) AS s, count(DISTINCT thread) AS n FROM barrier_waits"
    waits = run.query(archive, select)
    waited = sum(row["waiting_percent"] / 100 * row["time"] for row in told["sections"]["threads"])
    run.expect(waits[0]["n"] <= 2 and abs(waits[0]["s"] - turns["barriers"]) < 1e-6 * max(1, waits[0]["s"]),
               f"{compiler}: query's waits {waits}, those of the table {turns['barriers']}")
    run.expect(waited < turns["barriers"] + 1e-4, f"{compiler}: {waited} s of waiting in all")
    for what, got in viewed(run, archive, compiler):
        run.expect(abs(got - waited) < 0.01 + 0.05 * waited, f"{compiler}: {got} s in the view's {what}")
    texts = [finding["text"] for finding in told["findings"] if finding["kind"] == "parallel"]
    run.expect(any("(1.5 on average) are busy only" in text for text in texts), f"{compiler}: {texts}")
    run.expect(all("has teams of one thread: its entry, exit and barriers cost" in text or "1.5" in text
                   for text in texts), f"{compiler}: {texts}")


def main(run):
    for compiler in ("gcc", "clang"):
        one_run(run, compiler)
