# SPDX-License-Identifier: BSD-3-Clause
"""What the commands tell of an archive, as tables of numbers, and what the truth (agreement_truth.py) has of that."""  # noqa: E501

import collections
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import otf2
from otf2 import events as ev

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from exported import folded_sums  # noqa: E402
from judge import otf2_tables  # noqa: E402
from judge.otf2_read import Archive  # noqa: E402
from served import Server  # noqa: E402
from viewed import NONE, Page  # noqa: E402


CURVE_MOST = 8192  # points of a curve in a page
SHORT_CALLS, SHORTS = "(short calls)", 2**32 - 1  # a region that the archive does not define


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


PROCESS = "coalesce('rank ' || {0}.rank, {0}.name)"


class Consumer:
    """What a command tells, as tables of numbers; and what the truth has of that."""

    def __init__(self, build, per_second):
        self.build, self.per_second, self.window = build, per_second, None

    def command(self, name):
        return os.path.join(self.build, "libexec", "spur", "spur-" + name)

    def ticks(self, seconds):
        return round((seconds or 0) * self.per_second)


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
                "events": known({"all": told["events"]}),
                "messages": {}, "bytes": {}, "files": collections.Counter()}
        for row in told["sections"].get("file_accesses", ()):
            key = row["kind"], row["inside"]
            for name, value in (("n", row["count"]), ("bytes", row["bytes"]), ("time", self.ticks(row["time"]))):  # noqa: E501
                made["files"][key, name] += value
        made["files"] = known(made["files"])
        made["shorts"] = known({"all": self.ticks(sum(row["self"] for row in told["sections"]["regions"]
                                                      if row["region"] == SHORT_CALLS))})
        made["sites"] = known({(row["region"], row["site"], key): value
                               for row in told["sections"].get("sites", ())
                               for key, value in (("calls", row["calls"]), ("max", self.ticks(row["max"])))})
        made["locks"] = collections.Counter()
        for row in told["sections"].get("locks", ()):
            made["locks"][row["paradigm"], "n"] += row["contended"]
            made["locks"][row["paradigm"], "time"] += self.ticks(row["waiting"])
        made["locks"] = known(made["locks"])
        made["barriers"] = known({"all": sum(self.ticks(row["barriers"]) for row in told["sections"]["parallel"])})  # noqa: E501
        made["functions"] = known({row["region"]: row["samples"] for row in told["sections"]["regions"]})
        made["places"] = known({row["location"]: row["calls"] for row in told["sections"]["threads"]})
        if not has_stacks:
            for key in ("self", "total"):
                made[key] = known(added((row["region"], self.ticks(row[key])) for row in rows))
        for row in told["sections"]["messages"]:
            if row["messages"]:
                key = row["from"], row["to"]
                made["messages"][key], made["bytes"][key] = row["messages"], row["bytes"]
        made["bytes"] = known(made["bytes"])
        made["waits"] = {}
        for row in told["sections"]["messages"]:
            made["waits"]["late_sender", row["to"], row["from"]] = self.ticks(row["late_sender"])
            made["waits"]["late_receiver", row["from"], row["to"]] = self.ticks(row["late_receiver"])
        found = collections.Counter()
        for row in told["sections"]["collectives"]:
            for key, column in (("calls", "calls"), ("sent", "sent_bytes"), ("received", "received_bytes")):
                found[key, row["kind"]] += row[column]
        for row in told["sections"]["mpi_processes"]:
            made["waits"]["collective", row["process"], None] = self.ticks(row["collectives"])
        made["collectives"], made["waits"] = known(found), known(made["waits"])
        return made

    def truth(self, truth, has_stacks):
        names = {number: f"rank {number}" if truth.has_ranks else truth.archive.name_of("LocationGroup", number)  # noqa: E501
                 for number in truth.archive.spaces["LocationGroup"]}
        places = collections.Counter()
        for (location, _), n in (truth.calls + truth.more_calls).items():
            places[location] += n
        made = {"calls": region_sums(truth, truth.calls + truth.more_calls), "places": known(places),
                "events": known({"all": truth.events}), "shorts": known({"all": truth.shorts}),
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
            ns = 10**9 // self.per_second
            shorts = f"FROM call WHERE region = {SHORTS}"
            calls = f"FROM call WHERE region <> {SHORTS} GROUP BY location, region"
            messages = f"FROM message WHERE receiver NOT NULL AND sent BETWEEN {self.window[0]} AND {self.window[1]} GROUP BY 1, 2"  # noqa: E501
            made = {"calls": ask(f"SELECT location, region, count(*) {calls}"),
                    "total": ask(f"SELECT name, round(sum(total_s) * {self.per_second}) FROM regions WHERE name NOT LIKE '(%' GROUP BY 1"),  # noqa: E501
                    "shorts": ask(f"SELECT 'all', sum(duration) / {ns} {shorts} HAVING sum(duration) > 0"),
                    "self": ask(f"SELECT location, region, sum(self) / {ns} {calls}"),
                    "messages": ask(f"SELECT sender, receiver, count(*) {messages}"),
                    "bytes": ask(f"SELECT sender, receiver, sum(bytes) {messages}"),
                    "values": ask("SELECT location, count(*) FROM value GROUP BY 1"),
                    "sums": rounded(ask("SELECT location, name, sum(value) FROM value JOIN metric"
                                        " USING (metric) GROUP BY 1, 2")),
                    "samples": ask("SELECT location, count(*) FROM sample GROUP BY 1"),
                    "events": {"all": int(ask("SELECT key, value FROM archive")["events"])},
                    "waits": ask(f"SELECT replace(w.why, ' ', '_'), {PROCESS.format('p')},"
                                 f" CASE w.why WHEN 'collective' THEN NULL ELSE {PROCESS.format('q')} END,"
                                 f" sum(w.ended - w.began) / {ns} FROM wait w JOIN location l USING (location)"  # noqa: E501
                                 " JOIN process p USING (process)"
                                 " LEFT JOIN process q ON q.process = w.other GROUP BY 1, 2, 3"),
                    "barriers": ask(f"SELECT 'all', sum(waited) / {ns} FROM barrier_wait"),
                    "functions": ask("SELECT name, count(*) FROM samples GROUP BY 1")}
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
            for key, column in (("calls", "calls"), ("max", f"round(max_s * {self.per_second})")):
                made["sites"].update({(*place, key): n for place, n in ask(
                    f"SELECT name, coalesce(site, ''), {column} FROM call_sites"
                    " WHERE name NOT LIKE '(%'").items()})
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
                "events": known({"all": truth.events}), "lost": {}, "shorts": known({"all": truth.shorts}),
                "collectives": known({(key, operation_name(op)): n
                                      for (key, op), n in truth.collectives.items()})}


class Folded(Consumer):
    """By function: of it alone."""

    def tables(self, folder, window, _has_stacks):
        text = run(self.command("export"), "--to", "folded", *window, os.path.join(folder, "traces.otf2"))
        sums = known({name: weight * self.per_second // 10**9 for name, weight in folded_sums(text).items()})
        return {"shorts": known({"all": sums.pop(SHORT_CALLS, 0)}), "self": sums}

    def truth(self, truth, _has_stacks):
        return {"self": region_sums(truth, truth.self_), "shorts": known({"all": truth.shorts})}


class View(Consumer):
    """The page of the whole archive; of a window what a server answers."""

    def tables(self, folder, window, _has_stacks):
        anchor = os.path.join(folder, "traces.otf2")
        if window:
            with Server([self.command("view"), "--serve", "--no-findings", anchor]) as server, \
                    tempfile.NamedTemporaryFile() as file:
                file.write(server.ask().body)
                file.flush()
                page = Page(file.name)
                _, got = server.window(*self.window)
            return self.of_window(page, got)
        path = os.path.join(folder, "page.html")
        run(self.command("view"), "--no-findings", "-o", path, anchor)
        page = Page(path)
        made = self.of_records(page, page.records("calls"), page.records("messages"), page.records("samples"))
        made["self"] = collections.Counter()
        for own, _, _, _, path, _ in page.records("sums"):
            if not page.region(path).startswith("("):
                made["self"][page.region(path)] += own * self.per_second / 10**9
        points = page.records("counters")
        self.add_values(made, page, [(i, points[metric["first"]:metric["first"] + metric["count"]])
                                     for i, metric in enumerate(page.meta["metrics"])])
        return self.made(made)

    def of_window(self, page, got):
        made = self.of_records(page, *([tuple(record.values()) for record in got[name]]
                                       for name in ("calls", "messages", "samples")))
        begin, end = self.window
        points = [tuple(value.values()) for value in got["counters"]]
        self.add_values(made, page, [
            (entry["metric"], [point for point in points[entry["first"]:entry["first"] + entry["count"]]
                               if begin <= point[0] <= end]) for entry in got["metrics"]])
        return self.made(made)

    def of_records(self, page, calls, messages, samples):
        number = [int(row["id"]) for row in page.meta["rows"]]
        made = {name: collections.Counter() for name in
                ("calls", "spans", "shorts", "sends", "sent", "samples", "values", "sums")}
        begin, end = self.window
        for enter, leave, n, row, path, _, _ in calls:
            if page.region(path) == SHORT_CALLS:
                made["shorts"]["all"] += (min(leave, end) - max(enter, begin)) * self.per_second / 10**9
                continue
            made["calls"][number[row], page.region(path)] += n
            made["spans"][number[row], page.region(path)] += \
                (min(leave, end) - max(enter, begin)) * self.per_second / 10**9
        for sent, _, size, source, _, _, _ in messages:
            if source != NONE and begin <= sent <= end:
                made["sends"][number[source]] += 1
                made["sent"][number[source]] += int(size)
        for _, row, _ in samples:
            made["samples"][number[row]] += 1
        return made

    def add_values(self, made, page, series):
        for number, points in series:
            metric = page.meta["metrics"][number]
            location = int(page.meta["rows"][metric["row"]]["id"])
            made["values"][location] += len(points)
            made["sums"][location, metric["name"]] += sum(value for _, value in points)

    def made(self, made):
        self.told = {name: known(rounded(table) if name in ("self", "spans", "shorts", "sums") else table)
                     for name, table in made.items()}
        return self.told

    def curves(self, truth):
        """Values and their sums. Of a long curve the page has the least and the greatest of each stretch."""
        made = {"values": known(truth.values), "sums": known(rounded(truth.sums))}
        for name, table in made.items():
            for key in table:
                location = key[0] if name == "sums" else key
                if truth.values[location] > CURVE_MOST:
                    table[key] = self.told[name].get(key)
        return made

    def truth(self, truth, _has_stacks):
        calls, spans = collections.Counter(), collections.Counter()
        for found, sums in ((calls, truth.calls + truth.more_calls), (spans, truth.spans)):
            for (location, region), n in sums.items():
                found[location, truth.archive.name_of("Region", region)] += n
        return {"calls": known(calls), "spans": known(spans), "self": region_sums(truth, truth.self_),
                "shorts": known({"all": truth.shorts}), "sends": known(truth.sends),
                "sent": known(truth.sent), "samples": known(truth.samples), **self.curves(truth)}


class Reference(Consumer):
    """What python3-otf2 reads. It has no windows, and cannot open an archive with an InterComm."""

    def tables(self, folder, window, _has_stacks):
        made = collections.defaultdict(collections.Counter)
        archive = Archive(os.path.join(folder, "traces.otf2"))
        if window or any(name == "InterComm" for name, _ in archive.definitions):
            return {}
        with otf2.reader.open(archive.path) as reader:
            for location, event in reader.events:
                self.add(made, location._ref, event)
        return {name: known(made[name]) for name in ("events", "sends", "sent", "samples", "values", "collectives")}  # noqa: E501

    def add(self, made, location, event):
        made["events"]["all"] += 1
        if isinstance(event, (ev.MpiSend, ev.MpiIsend)):
            made["sends"][location] += 1
            made["sent"][location] += event.msg_length
        elif isinstance(event, (ev.MpiCollectiveEnd, ev.NonBlockingCollectiveComplete, ev.RmaCollectiveEnd)):
            is_rma = isinstance(event, ev.RmaCollectiveEnd)
            name = str(event.collective_op).rpartition(".")[2]
            made["collectives"]["calls", name] += 1
            made["collectives"]["sent", name] += event.bytes_sent if is_rma else event.size_sent
            made["collectives"]["received", name] += event.bytes_received if is_rma else event.size_received
        elif isinstance(event, ev.CallingContextSample):
            made["samples"][location] += 1
        elif isinstance(event, ev.Metric):
            made["values"][location] += len(event.values)

    def truth(self, truth, _has_stacks):
        return {"events": known({"all": truth.events}),
                "sends": known(truth.sends), "sent": known(truth.sent),
                "samples": known(truth.samples), "values": known(truth.values),
                "collectives": known({(key, operation_name(op)): n for (key, op), n in truth.collectives.items()})}  # noqa: E501
