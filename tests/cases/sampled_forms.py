# SPDX-License-Identifier: BSD-3-Clause
"""
Samples with calls that have no stacks, and with calls that have some: all readers tell the same of
both, the numbers are the program's and those of an independent reader. The program never blocks.
"""

import os

import otf2
from otf2 import events as ev
from reported import NS, Reported
from sampled_paths import printed_paths, with_chain

of = "agent/sampling"
LOCK, RATE = "pthread_mutex_lock", 100
SAMPLED = ("--sample", str(RATE))
HINT = "--unwind 20"
CALLS = {"Enter", "Leave"}
STACKS = {"CallingContextEnter", "CallingContextLeave"}
# How much CPU time an import takes with samples that it takes without, the least of some runs. (With
# stacks of calls it was five times as much.)
IMPORT = "import asyncio"
RUNS, MOST = 3, 2.0


def read(archive):
    """What python3-otf2 reads: calls of the lock, samples, and those by the line of their leaf."""
    calls, samples, at = 0, 0, {}
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
        for _, event in trace.events:
            if isinstance(event, ev.Enter):
                calls += event.region.name == LOCK
            elif isinstance(event, ev.CallingContextEnter):
                calls += event.calling_context.region.name == LOCK
            elif isinstance(event, ev.CallingContextSample):
                context = event.calling_context
                place = context.source_code_location
                key = (context.region.name, place.line_number if place else None)
                at[key] = at.get(key, 0) + 1
                samples += 1
    return calls, samples, at


def form(run, label, options, kinds):
    got = Reported(run, label, "{programs}/thread_sampled_calls", ["--locks", "all", *SAMPLED, *options])
    rounds, line = (round(got.truth[name] * NS) for name in ("rounds", "line"))
    trace = run.judge(got.place)
    found = set(trace.kinds()) & (CALLS | STACKS)
    run.equal(found, kinds, f"{label}: records of calls")
    calls, samples, at = read(got.place)
    run.equal(calls, rounds, f"{label}: calls that python3-otf2 reads")
    run.equal(got.rows[LOCK]["calls"], rounds, f"{label}: calls in the report")
    paths = printed_paths(run, got.place)
    run.equal(len(paths["Sample"]), samples, f"{label}: samples that otf2-print shows")
    seen = with_chain(paths["Sample"], "hot", "step", "main")
    run.expect(seen > samples / 4, f"{label}: {seen} stacks of {samples} samples")
    lines(run, got, label, (line, samples, at))
    rows = got.json["sections"]["callpaths"]
    on_paths = sum(row["calls"] or 0 for row in rows if row["region"] == LOCK)
    run.equal(on_paths, rounds, f"{label}: calls on call paths")
    roots = [row["samples"] for row in rows if row["depth"] == 0]
    run.equal(roots, [samples], f"{label}: samples of the root")
    run.expect(any(row["callpath"].endswith("main > step > hot") and row["samples"] > samples / 4
                   for row in rows), f"{label}: the path of samples\n{got.text}")
    hint = HINT in got.report("--by", "callpath")
    run.equal(hint, kinds == CALLS, f"{label}: whether the report names the option")
    page = os.path.join(run.scratch, f"{label}.html")
    run.says("view", "-o", page, got.place)
    table = run.query(got.place, "SELECT count(*) AS n FROM samples")
    run.equal(table[0]["n"], samples, f"{label}: samples of a query")
    folded = run.says("export", "--to", "folded", "--weight", "samples", got.place)
    weights = [int(row.rsplit(" ", 1)[1]) for row in folded.splitlines()]
    run.equal(sum(weights), samples, f"{label}: folded samples")
    return got


def lines(run, got, label, read_by_other):
    line, samples, at = read_by_other
    hot = [row for row in got.json["sections"]["lines"] if row["line"] == line]
    count = at["hot", line]
    shown = [(row["function"], row["samples"]) for row in hot]
    run.equal(shown, [("hot", count)], f"{label}: the hot line")
    said = f"thread_sampled_calls.c:{line}, {count} of {samples} samples"
    texts = " ".join(finding["text"] for finding in got.json["findings"])
    run.expect(said in texts, f"{label}: {said}\n{got.text}")
    text = got.report("--by", "lines")
    run.expect(f"led_calls.c:{line}" in text and "Hot lines" in text, f"{label}: the table\n{text}")


def blocked(run, got):
    """The thread has not been blocked longer than it used no CPU time."""
    limit = max(0.0, got.truth["wall"] - got.truth["cpu"])
    time = got.json["portions"].get("blocked", 0)
    slack = 0.1 * got.truth["wall"]
    run.expect(time <= limit + slack, f"blocked {time}, without CPU time {limit}\n{got.text}")


def cpu_of(run, *options):
    """Seconds of CPU time that the import takes, of the program and of the recording."""
    code = f"{IMPORT}, resource; u = resource.getrusage(0); print(u.ru_utime + u.ru_stime)"
    least = 1e9
    for number in range(RUNS):
        done, _ = run.record(f"import{len(options)}.{number}", [*options, "/usr/bin/python3", "-c", code])
        least = min(least, float(done.stdout))
    return least


def main(run):
    for label, options, kinds in (("samples", (), CALLS), ("zero", ("--unwind", "0"), CALLS),
                                  ("stacks", ("--unwind", "20"), STACKS)):
        blocked(run, form(run, label, options, kinds))
    for mode in ((), ("--python",)):
        without, sampled = cpu_of(run, *mode), cpu_of(run, *mode, *SAMPLED)
        print(f"    {IMPORT} {mode}: {sampled:.3f} s, {without:.3f} s without samples")
        run.expect(sampled <= MOST * without, f"{IMPORT}: {sampled} s, {without} s without samples")
