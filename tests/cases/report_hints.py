# SPDX-License-Identifier: BSD-3-Clause
"""The report ends with the option that answers the next question, if the archive leaves one open."""

from python_way import PYTHON

of = "tools/report/show"
PROGRAM = "{programs}/thread_hints"
SUM = "sum(range(30000000))"
SAMPLE, FILES, SCRIPT = "--sample 100", "--io posix,net", "--python"


def hints(run, label, words, *options):
    archive = run.record(label, [*options, *run.command(words)])[1]
    lines = [line for line in run.says("report", archive).splitlines() if line.startswith("To know")]
    return [line.partition("record with spur ")[2] for line in lines]


def main(run):
    run.equal(hints(run, "burn", [PROGRAM, "burn"]), [SAMPLE], "a program that works")
    run.equal(hints(run, "sampled", [PROGRAM, "burn"], "--sample", "100"), [], "with samples")
    run.equal(hints(run, "sleep", [PROGRAM, "sleep"]), [FILES], "a program that sleeps")
    script = [PYTHON, "-c", SUM]
    run.equal(hints(run, "script", script), [SCRIPT], "a script")
    run.equal(hints(run, "functions", script, "--python"), [], "a script's functions")
    start = hints(run, "start", [PYTHON, "-c", "pass"], "--python")
    run.expect(SCRIPT not in start, f"a script that does nothing: {start}")
