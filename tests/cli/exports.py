#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What spur export and spur query make of small archives of known content: `exports.py BUILD`, in a
folder with the archives of report_archives.py.
"""

import collections
import csv
import io
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from exported import Judge, Perfetto, chrome_events, compare, folded_sums, output, read_csv, read_sqlite  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402

BIN = os.path.join(sys.argv[1], "bin")
SPUR = os.path.join(BIN, "spur")
NONE, NONE64 = 0xffffffff, 0xffffffffffffffff
MS = 1000000
judge = Judge()

# ---- all formats, against spur print ----

for archive in ("ranks", "windows", "threads", "teams", "many", "names", "counters", "contexts",
                "sampled", "stacked"):
    judge.faults += compare(BIN, archive, ".", archive)

# ---- names that mean something elsewhere, and calls that nobody leaves ----

NAMES = ['say "hi"', "</script><script>alert(1)</script>", "two\nlines", "a;b,c", "bad \udcff\udcc3 byte",
         "\u202eabc", "back\\slash\ttab"]
CLEAN = [name.replace("\udcff", "\ufffd").replace("\udcc3", "\ufffd") for name in NAMES]
events = []
for i in range(len(NAMES)):
    events += [(10 * i, "Enter", i), (10 * i + 10, "Leave", i)]
# The last two stay open within the first, which is left; then one is open at the end.
events += [(100, "Enter", 0), (110, "Enter", 1), (120, "Enter", 2), (130, "Leave", 0),
           (140, "MpiSend", 0, 0, 3, 7), (150, "Leave", 5), (160, "Enter", 3), (200, "MeasurementOnOff", 1)]
texts = ["", *NAMES]
definitions = [("String", i, text) for i, text in enumerate(texts)]
definitions += [("ClockProperties", 1000, 0, 200, NONE64),
                ("SystemTreeNode", 0, 3, 0, NONE), ("LocationGroup", 0, 1, 1, 0, NONE),
                ("Location", 0, 3, 1, len(events), 0)]
definitions += [("Region", i, i + 1, NONE, 0, i + 1, 5, 0, i + 1, 1, 1, 0) for i in range(len(NAMES))]
write_archive("hostile", definitions, {0: events})

for form in ("csv", "sqlite", "chrome", "perfetto", "folded"):
    output(SPUR, "export", "--to", form, "-o", "hostile." + form, "hostile")
tables = read_csv("hostile.csv")
cut = [(100, 130, 0, 0), (110, 130, 1, 1), (120, 130, 2, 1), (160, 200, 3, 1)]
for form, got in (("csv", tables), ("sqlite", read_sqlite("hostile.sqlite"))):
    judge.same(f"hostile names in {form}", [row["name"] for row in got["region"]], CLEAN)
    judge.same(f"files in {form}", [row["file"] for row in got["region"]], CLEAN)
    judge.same(f"calls that were cut in {form}",
               [(int(row["enter"]) // MS, int(row["leave"]) // MS, int(row["region"]), int(row["cut"]))
                for row in got["call"] if int(row["enter"]) >= 100 * MS], cut)
    judge.same(f"a message without a receipt in {form}",
               [(row["sent"], row["received"] or None) for row in got["message"]],
               [(140 * MS if form == "sqlite" else str(140 * MS), None)])
with open("hostile.chrome", encoding="utf-8") as file:
    lanes, slices = chrome_events(file.read(), tables)
perfetto = Perfetto("hostile.perfetto").events
for form, found in (("chrome", slices), ("perfetto", perfetto)):
    names = [name for _, phase, _, name, _ in found if phase == "begin"]
    judge.same(f"hostile names in {form}", names, CLEAN + [CLEAN[0], CLEAN[1], CLEAN[2], CLEAN[3]])
    judge.same(f"ends that were cut in {form}",
               sum("cut" in more for _, phase, _, _, more in found if phase == "end"), 3)
with open("hostile.folded", encoding="utf-8") as file:
    text = file.read()
judge.check(len(text.splitlines()) == len(folded_sums(text)) + 2, f"stacks of one line each: {text}")
judge.same("all time of stacks", sum(folded_sums(text).values()), (70 + 30 + 40) * MS)

# ---- a part of it ----


def calls(*options):
    rows = csv.DictReader(io.StringIO(output(SPUR, "export", "--to", "csv", "--table", "call", *options,
                                             "ranks").decode()))
    return [(int(row["location"]) >> 32, int(row["region"]), int(row["enter"]) // MS,
             int(row["leave"]) // MS) for row in rows]


every = calls()
judge.same("calls of rank 1", calls("--location", "rank 1"), [row for row in every if row[0] == 1])
judge.same("calls of two", calls("--location", "0,MPI Rank 1"), every)
judge.same("calls in a window", calls("--time", "0.605..700ms"),
           [(*row[:2], max(row[2], 605), min(row[3], 700)) for row in every
            if row[3] >= 605 and row[2] <= 700])
judge.same("calls up to there", calls("--time", "..20ms"), [(*row[:3], min(row[3], 20)) for row in every if row[2] <= 20])  # noqa: E501
judge.same("long calls", calls("--min-duration", "100ms"),
           [row for row in every if row[3] - row[2] >= 100])
for form in ("chrome", "perfetto"):
    output(SPUR, "export", "--to", form, "-o", "long." + form, "--min-duration", "100ms", "ranks")
with open("long.chrome", encoding="utf-8") as file:
    lanes, slices = chrome_events(file.read(), read_csv("ranks.csv"))
for form, found in (("chrome", slices), ("perfetto", Perfetto("long.perfetto").events)):
    begins = collections.Counter(time // MS for _, phase, time, _, _ in found if phase == "begin")
    judge.same(f"long slices in {form}", begins, collections.Counter(
        row[2] for row in every if row[3] - row[2] >= 100))

# ---- questions ----


def ask(question, *options, archive="ranks"):
    return json.loads(output(SPUR, "query", "--json", *options, archive, question))


judge.same("waits", [(row["why"], row["name"], row["rank"], row["for_rank"], round(row["wait_s"], 6))
                     for row in ask("SELECT * FROM waits")],
           [("late sender", "MPI_Recv", 1, 0, 0.4), ("late receiver", "MPI_Send", 0, 1, 0.15),
            ("collective", "MPI_Init", 0, 1, 0.02), ("collective", "MPI_Barrier", 1, 0, 0.09)])
judge.same("profile", [(row["name"], row["calls"], round(row["self_s"], 6), round(row["total_s"], 6))
                       for row in ask("SELECT * FROM regions ORDER BY self_s DESC LIMIT 2")],
           [("solve", 2, 1.038, 1.706), ("MPI_Recv", 1, 0.412, 0.412)])
judge.same("messages", [(row["from_rank"], row["to_rank"], row["bytes"], row["sent_in"], row["received_in"])
                        for row in ask("SELECT * FROM messages")],
           [(0, 1, 1000, "MPI_Send", "MPI_Recv"), (0, 1, 4096, "MPI_Send", "MPI_Wait")])
judge.same("calls", ask("SELECT count(*) AS n, max(duration_s) AS s FROM calls WHERE rank = 1"),
           [{"n": 9, "s": 1.12}])
judge.same("samples", ask("SELECT name, count(*) AS n FROM samples GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
                          archive="sampled")[0]["n"] > 1, True)
judge.same("metrics", ask("SELECT value FROM metrics WHERE name = 'temperature' ORDER BY time_s",
                          archive="threads"), [{"value": 20}, {"value": 26}, {"value": 23}])
judge.same("hostile names of questions", [row["name"] for row in ask("SELECT name FROM region",
                                                                     archive="hostile")], CLEAN)
rows = list(csv.reader(io.StringIO(output(SPUR, "query", "--csv", "hostile",
                                          "SELECT name FROM region ORDER BY region").decode(), newline="")))
judge.same("hostile names of questions as csv", [row[0] for row in rows[1:]], CLEAN)

# The database is made once, and anew when the archive is another.
base = output(SPUR, "query", "--path", "ranks").decode().strip()
before = os.stat(base)
ask("SELECT 1")
judge.check(os.stat(base).st_ino == before.st_ino, "a database that is made twice")
os.utime("ranks/traces.otf2", (1, 1))
judge.same("a stale database", ask("SELECT count(*) AS n FROM call"), [{"n": len(every)}])
judge.check(os.stat(base).st_ino != before.st_ino, "a database of what was there before")
wrong = subprocess.run([SPUR, "query", "ranks", "DELETE FROM call"], capture_output=True, timeout=60)
judge.check(wrong.returncode == 1 and b"readonly" in wrong.stderr, f"a question that changes: {wrong}")
judge.same("after it", ask("SELECT count(*) AS n FROM call"), [{"n": len(every)}])

for fault in judge.faults:
    print("FAULT:", fault)
sys.exit(bool(judge.faults))
