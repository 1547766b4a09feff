#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
One archive, one truth: `agreement.py BUILD [N]` draws N archives (report_random.py), and compares what spur
report, spur query (of the database of spur export), spur export (folded) and spur view tell of them with
what the laws of docs/numbers.md make of the events, which a reader of its own reads. Whole archives, and
windows of time. Then each number of each of them is falsified, and has to be found.

`agreement.py BUILD ARCHIVE...` does the same with archives of programs. Their clocks are finer than what
the commands say, so times may differ by a microsecond.

SPUR_TEST_SEED is the seed; SPUR_TEST_COUNT the number of archives.
"""

import collections
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from agreement_truth import FOREVER, Truth  # noqa: E402
from exported import folded_sums  # noqa: E402
from judge import otf2_tables  # noqa: E402
from judge.otf2_read import Archive  # noqa: E402
from report_random import Run, write_archive  # noqa: E402
from viewed import NONE, Page  # noqa: E402

TICKS = 1000  # in a second: report_archives.head(); set anew for archives of programs
NEAR_S = 1e-6
TIMES = ("self", "total", "waits")


class Balanced(Run):
    """Half of the archives have no stacks: then all time is that of calls."""

    def __init__(self, rng, has_stacks):
        super().__init__(rng)
        self.is_odd, self.has_gaps, self.has_stands = False, False, False
        self.has_stacks = has_stacks

    def sample(self, at):
        if self.has_stacks:
            super().sample(at)

    def context(self, at):
        if self.has_stacks:
            super().context(at)


def known(sums):
    return {key: value for key, value in sums.items() if value}


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=60)
    if done.returncode:
        raise SystemExit(f"FAULT: {words} ends with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def added(rows):
    """Several regions may have one name."""
    sums = collections.Counter()
    for name, value in rows:
        sums[name] += value
    return sums


def rounded(sums):
    return {key: round(value, 6) for key, value in sums.items()}


def ticks(seconds):
    return round((seconds or 0) * TICKS)


class Consumer:
    """What a command tells, as tables of numbers; and what the truth has of that."""

    def __init__(self, build):
        self.build = build

    def command(self, name):
        return os.path.join(self.build, "libexec", "spur", "spur-" + name)


def region_sums(truth, sums):
    found = collections.Counter()
    for (_, region), value in sums.items():
        found[truth.archive.name_of("Region", region)] += value
    return known(found)


def operation_name(number):
    return otf2_tables.COLLECTIVES[number]


class Report(Consumer):
    def tables(self, folder, window, has_stacks):
        told = json.loads(run(self.command("report"), "--json", *window, os.path.join(folder, "traces.otf2")))
        rows = [row for row in told["sections"]["regions"]
                if row["calls"] and not row["region"].startswith("(")]
        made = {"calls": added((row["region"], row["calls"]) for row in rows),
                "events": {"all": told["events"]},
                "messages": {}, "bytes": {}, "files": collections.Counter()}
        for row in told["sections"].get("file_accesses", ()):
            key = row["kind"], row["inside"]
            for name, value in (("n", row["count"]), ("bytes", row["bytes"]), ("time", ticks(row["time"]))):
                made["files"][key, name] += value
        made["files"] = known(made["files"])
        made["sites"] = known({(row["region"], row["site"], key): value
                               for row in told["sections"].get("sites", ())
                               for key, value in (("calls", row["calls"]), ("max", ticks(row["max"])))})
        made["locks"] = collections.Counter()
        for row in told["sections"].get("locks", ()):
            made["locks"][row["paradigm"], "n"] += row["contended"]
            made["locks"][row["paradigm"], "time"] += ticks(row["waiting"])
        made["locks"] = known(made["locks"])
        if not has_stacks:
            for key in ("self", "total"):
                made[key] = known(added((row["region"], ticks(row[key])) for row in rows))
        for row in told["sections"]["messages"]:
            if row["messages"]:
                key = row["from"], row["to"]
                made["messages"][key], made["bytes"][key] = row["messages"], row["bytes"]
        made["bytes"] = known(made["bytes"])
        made["waits"] = known({kind: ticks(sum(row[kind] for row in told["sections"]["messages"]))
                               for kind in ("late_sender", "late_receiver")})
        found = collections.Counter()
        for row in told["sections"]["collectives"]:
            for key, column in (("calls", "calls"), ("sent", "sent_bytes"), ("received", "received_bytes")):
                found[key, row["kind"]] += row[column]
            made["waits"]["collective"] = made["waits"].get("collective", 0) + ticks(row["waiting"])
        made["collectives"], made["waits"] = known(found), known(made["waits"])
        return made

    def truth(self, truth, has_stacks):
        names = {number: f"rank {number}" if truth.has_ranks else truth.archive.name_of("LocationGroup", number)  # noqa: E501
                 for number in truth.archive.spaces["LocationGroup"]}
        made = {"calls": region_sums(truth, truth.calls + truth.more_calls),
                "events": {"all": truth.events},
                "messages": {(names[a], names[b]): n for (a, b), n in truth.messages.items()},
                "bytes": known({(names[a], names[b]): n for (a, b), n in truth.bytes.items()}),
                "collectives": known({(key, operation_name(op)): n for (key, op), n in truth.collectives.items()})}  # noqa: E501
        if not has_stacks:
            made["self"] = region_sums(truth, truth.self_)
            made["total"] = region_sums(truth, truth.total)
        return made


class Query(Consumer):
    def tables(self, folder, window, _has_stacks):
        anchor = os.path.join(folder, "traces.otf2")
        path = run(self.command("query"), *window, "--path", anchor).strip()
        with sqlite3.connect(path) as base:
            def ask(question):
                return {tuple(row[:-1]) if len(row) > 2 else row[0]: row[-1] for row in base.execute(question)}  # noqa: E501
            ns = 10**9 // TICKS
            calls = "FROM call GROUP BY location, region"
            messages = f"FROM message WHERE receiver NOT NULL AND sent BETWEEN {self.window[0]} AND {self.window[1]} GROUP BY 1, 2"  # noqa: E501
            made = {"calls": ask(f"SELECT location, region, count(*) {calls}"),
                    "total": ask(f"SELECT name, round(sum(total_s) * {TICKS}) FROM regions GROUP BY 1"),
                    "self": ask(f"SELECT location, region, sum(self) / {ns} {calls}"),
                    "messages": ask(f"SELECT sender, receiver, count(*) {messages}"),
                    "bytes": ask(f"SELECT sender, receiver, sum(bytes) {messages}"),
                    "values": ask("SELECT location, count(*) FROM value GROUP BY 1"),
                    "sums": rounded(ask("SELECT location, name, sum(value) FROM value JOIN metric"
                                        " USING (metric) GROUP BY 1, 2")),
                    "samples": ask("SELECT location, count(*) FROM sample GROUP BY 1"),
                    "events": {"all": int(ask("SELECT key, value FROM archive")["events"])},
                    "waits": ask(f"SELECT replace(why, ' ', '_'), round(sum(wait_s) * {TICKS}) FROM waits GROUP BY 1")}  # noqa: E501
            found = {}
            for key, column in (("calls", "count(*)"), ("sent", "sum(bytes_sent)"), ("received", "sum(bytes_received)")):  # noqa: E501
                found.update({(key, name): n for name, n in
                              ask(f"SELECT operation, {column} FROM collective GROUP BY 1").items()})
            made["files"] = {}
            for key, column in (("n", "count(*)"), ("bytes", "sum(bytes)"),
                                ("time", f"sum(ended - began) / {ns}")):
                made["files"].update({(kind, key): n for kind, n in ask(
                    "SELECT CASE WHEN kind IN ('READ', 'WRITE', 'OPEN') THEN lower(kind) ELSE 'other' END,"
                    f" inside, {column} FROM operation GROUP BY 1, 2").items()})
            made["locks"] = {}
            for key, column in (("n", "count(*)"), ("time", f"sum(ended - began) / {ns}")):
                made["locks"].update({(paradigm, key): n for paradigm, n in ask(
                    f"SELECT paradigm, {column} FROM lock_wait GROUP BY 1").items()})
            made["sites"] = {}
            for key, column in (("calls", "calls"), ("max", f"round(max_s * {TICKS})")):
                made["sites"].update({(*place, key): n for place, n in ask(
                    f"SELECT name, coalesce(site, ''), {column} FROM call_sites").items()})
            # A call before the window has no row.
            join = "JOIN" if window else "LEFT JOIN"
            lost = f"SELECT count(*) FROM operation o {join} call c USING (call) WHERE o.call NOT NULL " \
                "AND NOT coalesce(c.enter <= o.began AND o.began <= c.leave, 0)"
            made["lost"] = {"operations": base.execute(lost).fetchone()[0]}
        made["collectives"] = found
        return {name: known(table) for name, table in made.items()}

    def truth(self, truth, _has_stacks):
        return {"calls": known(truth.calls), "total": region_sums(truth, truth.total), "self": known(truth.self_),  # noqa: E501
                "messages": known(truth.messages), "bytes": known(truth.bytes), "values": known(truth.values),
                "sums": known(rounded(truth.sums)), "samples": known(truth.samples),
                "events": {"all": truth.events}, "lost": {},
                "collectives": known({(key, operation_name(op)): n
                                      for (key, op), n in truth.collectives.items()})}


class Folded(Consumer):
    """By function: of it alone."""

    def tables(self, folder, window, _has_stacks):
        text = run(self.command("export"), "--to", "folded", *window, os.path.join(folder, "traces.otf2"))
        return {"self": known({name: weight * TICKS // 10**9 for name, weight in folded_sums(text).items()})}

    def truth(self, truth, _has_stacks):
        return {"self": region_sums(truth, truth.self_)}


class View(Consumer):
    """The page of the whole archive; its windows are those of a server (view_windows.py)."""

    def tables(self, folder, _window, _has_stacks):
        page = os.path.join(folder, "page.html")
        run(self.command("view"), "--no-findings", "-o", page, os.path.join(folder, "traces.otf2"))
        page = Page(page)
        number = [int(row["id"]) for row in page.meta["rows"]]
        made = {name: collections.Counter() for name in
                ("calls", "self", "sends", "sent", "samples", "values", "sums")}
        for _, _, calls, row, path, _, _ in page.records("calls"):
            made["calls"][number[row], page.region(path)] += calls
        for own, _, _, _, path, _ in page.records("sums"):
            if not page.region(path).startswith("("):
                made["self"][page.region(path)] += own * TICKS / 10**9
        for _, _, size, source, _, _, _ in page.records("messages"):
            if source != NONE:
                made["sends"][number[source]] += 1
                made["sent"][number[source]] += int(size)
        for _, row, _ in page.records("samples"):
            made["samples"][number[row]] += 1
        points = page.sections["counters"]["value"]
        for metric in page.meta["metrics"]:
            values = points[metric["first"]:metric["first"] + metric["count"]]
            made["values"][number[metric["row"]]] += len(values)
            made["sums"][number[metric["row"]], metric["name"]] += sum(values)
        for name in ("self", "sums"):
            made[name] = rounded(made[name])
        return {name: known(table) for name, table in made.items()}

    def truth(self, truth, _has_stacks):
        calls = collections.Counter()
        for (location, region), n in (truth.calls + truth.more_calls).items():
            calls[location, truth.archive.name_of("Region", region)] += n
        return {"calls": known(calls), "self": region_sums(truth, truth.self_), "sends": known(truth.sends),
                "sent": known(truth.sent), "samples": known(truth.samples), "values": known(truth.values),
                "sums": known(rounded(truth.sums))}


def differ(name, key, one, other, near):
    is_time = name in TIMES or (isinstance(key, tuple) and key[-1] in ("time", "max"))
    return abs((one or 0) - (other or 0)) > near if is_time and near else one != other


def differences(told, truth, near=0):
    return [(name, key, told[name].get(key), truth[name].get(key)) for name in truth if name in told
            for key in sorted(set(told[name]) | set(truth[name]), key=repr)
            if differ(name, key, told[name].get(key), truth[name].get(key), near)]


def falsify(rng, tables, names):
    """One number of one table is another."""
    tables = {name: dict(table) for name, table in tables.items()}
    kinds = [name for name in names if tables.get(name)]
    if not kinds:
        return None
    table = tables[rng.choice(kinds)]
    table[rng.choice(sorted(table, key=repr))] += rng.choice((-1, 1))
    return tables


class Test:
    def __init__(self, build, seed):
        self.seed, self.faults, self.near = seed, [], 0
        self.consumers = {"report": Report(build), "query": Query(build), "folded": Folded(build),
                          "view": View(build)}
        self.falsified, self.found = collections.Counter(), collections.Counter()

    def one(self, number, folder):
        rng = random.Random(f"{self.seed} {number}")
        has_stacks = rng.random() < 0.5
        drawn = Balanced(rng, has_stacks)
        drawn.make(60 * len(drawn.locations))
        write_archive(folder, drawn.definitions(), {at.number: at.events for at in drawn.locations})
        archive = Archive(os.path.join(folder, "traces.otf2"))
        last = max(at.time for at in drawn.locations)
        begin = rng.randrange(last)
        # Above 0: a window that ends where the trace begins has nothing.
        end = begin + 1 + rng.randrange(last - begin)
        for borders in ((0, FOREVER), (begin, end)):
            self.window(rng, number, folder, archive, borders, drawn.has_ranks, has_stacks)

    def program(self, number, folder):
        """An archive of a program, and a window of it."""
        rng = random.Random(f"{self.seed} {number}")
        archive = Archive(os.path.join(folder, "traces.otf2"))
        clock = next(values for name, values in archive.definitions if name == "ClockProperties")
        last = clock["traceLength"] * TICKS // clock["timerResolution"]
        begin = rng.randrange(last)
        self.near = NEAR_S * TICKS
        has_ranks = any(archive.name_of("LocationGroup", group).startswith("MPI Rank ")
                        for group in archive.spaces["LocationGroup"])
        has_stacks = bool(archive.spaces.get("CallingContext"))
        for borders in ((0, FOREVER), (begin, begin + 1 + rng.randrange(last - begin))):
            self.window(rng, number, folder, archive, borders, has_ranks, has_stacks)

    def window(self, rng, number, folder, archive, borders, has_ranks, has_stacks):
        seconds = [f"{border // TICKS}.{border % TICKS * 10**9 // TICKS:09}" for border in borders]
        words = ["--time", "..".join(seconds)] if borders[1] < FOREVER else []
        truth = Truth(archive, TICKS, *borders)
        truth.has_ranks = has_ranks
        told = {}
        for name, consumer in self.consumers.items():
            if words and name == "view":
                continue
            consumer.window = [min(border, 10**6 * TICKS) * 10**9 // TICKS for border in borders]
            told[name] = consumer.tables(folder, words, has_stacks)
            wanted = consumer.truth(truth, has_stacks)
            self.faults += [f"archive {number} {words}: {name}: {what[0]} of {what[1]}: {what[2]} instead of {what[3]}"  # noqa: E501
                            for what in differences(told[name], wanted, self.near)]
            false = falsify(rng, told[name], wanted)
            if false:
                self.falsified[name] += 1
                self.found[name] += bool(differences(false, wanted, self.near))
        for name in ("waits", "files", "sites", "locks"):
            report, query = (told[consumer][name] for consumer in ("report", "query"))
            self.faults += [f"archive {number} {words}: report {name} of {key}: {one}, query {other}" for
                            _, key, one, other in differences({name: report}, {name: query}, self.near)]

    def all_found(self):
        """A time of a program's archive may be false by little, so this is asked of drawn archives only."""
        for name in self.consumers:
            if not self.falsified[name] or self.found[name] < self.falsified[name]:
                self.faults.append(f"{name}: {self.found[name]} of {self.falsified[name]} false numbers were found")  # noqa: E501


def main():
    global TICKS
    count = int(os.environ.get("SPUR_TEST_COUNT", "30"))
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    test = Test(sys.argv[1], seed)
    if sys.argv[2:]:
        TICKS, count = 10**9, len(sys.argv) - 2
        for folder in sys.argv[2:]:
            test.program(folder, folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                test.one(number, os.path.join(folder, str(number)))
        test.all_found()
    for fault in test.faults[:40]:
        print("FAULT:", fault)
    print(f"{count} archives, {len(test.faults)} faults")
    return bool(test.faults)


sys.exit(main())
