# SPDX-License-Identifier: BSD-3-Clause
"""
NVTX, by headers of the tests' own (tests/programs/nvtx/own_nvtx.h), and by those of NVTX where CUDA is
installed: a program that makes every call, in good and bad orders, drawn ones on several threads too, and
logs what each thread enters and leaves, begins and ends. The archive has the same, event by event.
"""

import collections
import os
import random
import struct

import matrix

of = "wrappers/nvtx"
SEEDS = 3
OTHERS, TEXTS, LANES = "(other texts)", 16384, 128
LANE = 2  # type of a location
STARTS, ENDS, RANGE = "NVTX Range Start", "NVTX Range End", "NVTX Range"
KINDS = {"nvtx range": "r", "nvtx mark": "m"}
FLOATS = {11: "f", 12: "d"}  # OTF2's types


def plain(value, kind):
    """A value as the program prints it."""
    if kind in FLOATS and isinstance(value, int):
        code = FLOATS[kind]
        value = struct.unpack(code, struct.pack("I" if code == "f" else "Q", value))[0]
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class Nvtx:
    """`logs`: {thread: [event]} and `lanes`: {number: text}, as the program prints them."""

    def __init__(self, run, trace):
        self.run, self.archive = run, trace.archive
        self.logs, self.lanes, self.numbers, self.times = {}, {}, {}, {}
        locations = sorted(self.archive.spaces["Location"].items())
        for location, (_, values) in locations:
            if values["locationType"] == LANE:
                self._lane(location, values)
        for location, (_, values) in locations:
            if values["locationType"] != LANE:
                self._thread(location, self.archive.string(values["name"]))

    def _said(self, attributes):
        found = {}
        for number, kind, value in attributes or []:
            name = self.archive.name_of("Attribute", number)
            found[name] = self.archive.string(value) if name == "NVTX Category" else plain(value, kind)
        return found

    def _text(self, region, said):
        more = [said.get("NVTX Category", ""), said.get("NVTX Payload", "")]
        return self.archive.name_of("Region", region) + ("|" + "|".join(more) if any(more) else "")

    def _kind(self, region):
        values = self.archive.spaces["Region"][region][1]
        return KINDS.get(self.archive.string(values["description"]))

    def _lane(self, location, values):
        """Ranges, one after the other; their numbers are given to them by the threads' logs."""
        group = self.archive.spaces["LocationGroup"][values["locationGroup"]][1]
        self.run.equal(self.archive.string(group["name"]), "NVTX ranges", "group of lanes")
        process, now = location >> 32, None
        for name, time, fields, attributes in self.archive.events(location):
            if name == "Enter":
                said = self._said(attributes)
                self.run.equal((now, self._kind(fields[0])), (None, "r"), "a range in a lane")
                now = process, said[RANGE]
                self.run.expect(now not in self.times, f"range {now} to be there once")
                self.lanes[now] = self._text(fields[0], said)
                self.times[now] = [time]
            elif name == "Leave":
                self.times[now].append(time)
                now = None
        self.run.equal(now, None, "what is open in a lane")

    def _thread(self, location, name):
        log = self.logs.setdefault(name, [])
        for record, time, values, attributes in self.archive.events(location):
            if record in ("Enter", "Leave") and self._kind(values[0]):
                text = self._text(values[0], self._said(attributes))
                log.append(f"{'+' if record == 'Enter' else '-'}{self._kind(values[0])}:{text}")
            elif record == "ParameterUnsignedInt":
                what = self.archive.name_of("Parameter", values[0])
                number = location >> 32, str(values[1])
                if what == STARTS:
                    self.numbers[number] = time
                log += [("s", number)] if what == STARTS else [("e", number)] if what == ENDS else []


def printed(text):
    logs, lanes = {}, {}
    for line in text.splitlines():
        words = line.split("\t")
        if words[0] == "log":
            logs[words[1]] = words[2:]
        elif words[0] == "lane":
            lanes[words[1]] = words[2]
    return logs, lanes


def matched(run, what, got, wanted, known):
    """The same events; ranges have other numbers in the archive, always the same ones."""
    run.equal(len(got), len(wanted), what + "number of events")
    for i, (mine, theirs) in enumerate(zip(got, wanted)):
        if isinstance(mine, tuple):
            run.equal(known.setdefault(mine[1], theirs[1:]), theirs[1:], f"{what}range of event {i}")
            mine = mine[0] + theirs[1:]
        run.equal(mine, theirs, f"{what}event {i}")


def check(run, what, trace, text, others=()):
    """The program's lines and the archive agree."""
    nvtx, (logs, lanes), known = Nvtx(run, trace), printed(text), {}
    run.expect("wrong" not in text, f"{what}right results: {text[-500:]}")
    for thread, events in logs.items():
        matched(run, f"{what}{thread}: ", nvtx.logs.get(thread, []), events, known)
    run.equal(sorted(name for name, log in nvtx.logs.items() if log and name not in logs), list(others),
              what + "other threads with NVTX")
    run.equal({known[number]: text for number, text in nvtx.lanes.items() if number in known}, lanes,
              what + "ranges that overlap")
    for number, times in nvtx.times.items():
        run.equal(len(times), 2, f"{what}times of range {number}")
        run.expect(nvtx.numbers[number] <= times[0] <= times[1], f"{what}order of the times of {number}")
    return nvtx


def check_many(run, what, trace):
    """Of too many texts, domains and open ranges the last ones are one, or missing."""
    nvtx = Nvtx(run, trace)
    log = nvtx.logs["main"]
    visits = collections.Counter(event for event in log if isinstance(event, str))
    ranges = {event: n for event, n in visits.items() if event.startswith("+r:")}
    texts = len(ranges) - 1
    run.equal((sum(ranges.values()), ranges["+r:" + OTHERS]), (17001, 17001 - texts), what + "visits")
    run.equal(texts, TEXTS, what + "texts")
    run.equal(collections.Counter(event[0] for event in log if isinstance(event, tuple)),
              {"s": 200, "e": LANES}, what + "ranges that begin and end")
    run.equal(list(nvtx.lanes.values()), [OTHERS] * LANES, what + "ranges in lanes")
    marks = {event: n for event, n in visits.items() if event.startswith("+m:")}
    run.equal(marks, {"+m:text 0": 300 - 252, **{f"+m:domain {i}:{OTHERS}": 1 for i in range(252)}},
              what + "marks in domains")


def check_numbers(run, cell):
    """Numbers at the end of texts are attributes, and no part of the name."""
    archive, said, lanes = cell.trace(run).archive, [], []
    for location, (_, values) in sorted(archive.spaces["Location"].items()):
        for name, _, fields, attributes in archive.events(location):
            if name != "Enter" or archive.name_of("Region", fields[0]) == "aten::mm":
                continue
            found = [(archive.name_of("Attribute", number), value) for number, _, value in attributes or []]
            text = " ".join(f"{key.removeprefix('NVTX ')}={value}" for key, value in found if key != RANGE)
            where = lanes if values["locationType"] == LANE else said
            where.append(f"{archive.name_of('Region', fields[0])}|{text}")
    lines = [line.partition(" ") for line in cell.traced.stdout.splitlines()]
    run.equal(said, [rest for word, _, rest in lines if word == "said"], cell.what + "what texts say")
    run.equal(lanes, [rest for word, _, rest in lines if word == "lane"], cell.what + "in lanes")
    calls = [int(rest) for word, _, rest in lines if word == "calls"]
    run.equal([cell.trace(run).regions()["aten::mm"]], calls, cell.what + "one region of all numbers")


def programs(run):
    """With the headers of the tests' own, and with those of NVTX if they are there."""
    real = os.path.join(run.programs, "nvtx_real")
    return ["nvtx_own"] + (["nvtx_real"] if os.path.exists(real) else [])


def cells(run, program, mode, ways=("launcher",), **settings):
    return matrix.cells(run, f"{program}.{mode}", ["{programs}/" + program, mode], list(ways),
                        settings=settings)


def check_modes(run, program):
    for mode in ("all", "bad", "fork"):
        for cell in cells(run, program, mode, ["launcher", "agent", "recovered"] if mode == "all" else
                          ["launcher"]):
            check(run, cell.what, cell.trace(run), cell.traced.stdout)
    for cell in cells(run, program, "many"):
        check_many(run, cell.what, cell.trace(run))
        text = run.says("report", cell.archives[0])
        run.expect(f", {LANES} lanes of ranges, " in text and "device stream" not in text,
                   f"{cell.what}lanes in the report's head: {text[:400]}")
    for cell in cells(run, program, "numbers"):
        check_numbers(run, cell)
    for cell in cells(run, program, "signals"):
        regions = cell.trace(run).regions()  # the program waits for 50 handlers between its calls
        run.expect(min(regions["handler"], regions["io:handler"], regions["overlapping"]) >= 50,
                   f"{cell.what}calls in handlers: {regions['handler']}")
    for settings in ({"SPUR_UNWIND": "8"}, {"SPUR_BUFFER": "512K", "SPUR_FLUSH": "ring"},
                     {"SPUR_SITES": "on", "SPUR_METRICS": "rusage:minflt"}):
        for cell in cells(run, f"{program}", "all", **settings):
            run.expect("wrong" not in cell.traced.stdout, f"{cell.what}{settings}: right results")


def check_drawn(run, program, seed):
    """Threads meet in ways of their own each time: the lines are those of the traced run."""
    what = f"{program} random {seed}: "
    words = run.command(["{programs}/" + program, "random", str(seed)])
    done, archive = run.record(f"{program}.{seed}", ["-q", *words])
    run.equal(done.spur, [], what + "end")
    check(run, what, run.judge(archive), done.stdout)


def check_killed(run):
    """What was open when the process was killed ends with it."""
    words = ["{programs}/nvtx_own", "killed"]
    for cell in matrix.cells(run, "killed", words, ["launcher", "recovered"]):
        nvtx = Nvtx(run, cell.trace(run))
        run.equal((nvtx.logs["main"].count("+r:open"), nvtx.logs["main"].count("-r:open")), (1, 1),
                  cell.what + "the range that nests")
        run.equal(sorted(nvtx.lanes.values()), ["overlapping"], cell.what + "the range that overlaps")
        run.equal([len(times) for times in nvtx.times.values()], [2], cell.what + "which has an end")


def probe(run, label, words, env=None):
    """The level that a first push has in a program, and the lines of spur."""
    done = run.execute(words + run.command(["{programs}/nvtx_own", "probe"]), label, env)
    run.equal((done.status, done.stderr), (0, ""), f"{label}: end")
    return done.stdout.strip(), [line for line in done.spur if "NVTX" in line]


def check_probes(run):
    """Who is to be traced has a tool; others have none, even if they load the agent."""
    def spur(name, *more):
        return [run.spur, "-o", os.path.join(run.scratch, name), *more]
    run.equal(probe(run, "alone", []), ("-2", []), "a program alone")
    run.equal(probe(run, "traced", spur("probe.1")), ("0", []), "a traced program")
    named = {"NVTX_INJECTION64_PATH": run.library}
    run.equal(probe(run, "named", [], named), ("-2", []), "a program that loads the agent")
    run.equal(probe(run, "left", spur("probe.2") + ["env", "-u", "LD_PRELOAD"]), ("-2", []),
              "a program that the session leaves alone")
    run.equal(probe(run, "again", spur("probe.3"), named), ("0", []), "the agent is named already")
    run.equal(probe(run, "off", spur("probe.4"), {"SPUR_WRAP": "pthread"}), ("-2", []), "a family is off")
    other = {"NVTX_INJECTION64_PATH": os.path.join(run.scratch, "other.so")}
    level, lines = probe(run, "other", spur("probe.5"), other)
    run.equal((level, ["names another library" in line for line in lines]), ("-2", [True]), "another library")


def check_filter(run):
    rules = os.path.join(run.scratch, "filter")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE solver:* gr*:*\nSCOREP_REGION_NAMES_END")
    for cell in matrix.cells(run, "filter", ["{programs}/nvtx_own", "all"], ["launcher"],
                             settings={"SPUR_FILTER": rules}):
        domains = {name.split(":")[0] for name in cell.trace(run).regions() if ":" in name}
        run.equal(domains, {"io"}, "domains that the filter leaves")


def check_paused(run):
    """Ranges that begin in a pause are missing, and those that end in it have their end."""
    late = ["+r:after", "-r:after"]
    for start, log, lanes in (("on", ["+r:first", "-r:first", "+r:before", "-r:before"] + late,
                               ["after", "before", "still"]), ("off", late, ["after"])):
        for cell in matrix.cells(run, f"paused.{start}", ["{programs}/nvtx_own", "paused"], ["launcher"],
                                 settings={"SPUR_START": start}):
            nvtx = Nvtx(run, cell.trace(run))
            run.equal([event for of in nvtx.logs.values() for event in of if isinstance(event, str)], log,
                      cell.what + "ranges that nest")
            run.equal(sorted(nvtx.lanes.values()), lanes, cell.what + "ranges that overlap")


def check_cxx(run):
    """The header for C++, where it is."""
    if not os.path.exists(os.path.join(run.programs, "nvtx_cxx")):
        return
    for cell in matrix.cells(run, "cxx", ["{programs}/nvtx_cxx"], ["launcher"]):
        nvtx = Nvtx(run, cell.trace(run))
        events = [event for log in nvtx.logs.values() for event in log if isinstance(event, str)]
        seen = collections.Counter(event[1:].split("|")[0] for event in events if event[0] == "+")
        seen.update("r:" + text for text in nvtx.lanes.values())
        run.equal(seen, {text: int(n) for text, n in (line.rsplit(" ", 1) for line in
                                                      cell.traced.stdout.splitlines())},
                  cell.what + "regions")
        inner = [event for event in events if event.startswith("+r:solver:setup")]
        run.equal(inner, [f"+r:solver:setup|compute|{i}" for i in range(10)], cell.what + "what ranges say")


def main(run):
    for program in programs(run):
        check_modes(run, program)
        for seed in [1] + random.sample(range(2, 10**9), SEEDS):
            check_drawn(run, program, seed)
    check_cxx(run)
    check_killed(run)
    check_probes(run)
    check_filter(run)
    check_paused(run)
