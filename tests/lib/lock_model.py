# SPDX-License-Identifier: BSD-3-Clause
"""
Locks of an archive, by brute force: what the table `locks` of spur report says follows here word by word
from docs/report.md. All times are ticks; `slack` of them may be missing where clocks are corrected.
"""

import collections
import os

from call_stacks import Paths
from judge.otf2_read import UNDEFINED32 as UNDEFINED

SITE = "spur::call_site"
PARADIGMS = {3: "OPENMP", 7: "PTHREAD"}
HOLDS, SHORTEST_S, CALLS = 16, 1e-6, 4  # what a wait is divided by; calls of a hold
Hold = collections.namedtuple("Hold", "location since until place calls")
Step = collections.namedtuple("Step", "time order lock is_release place enter has_released hold")


class Frame:
    def __init__(self, enter, place):
        self.enter, self.place, self.has_released = enter, place, False


class Held:
    """A lock that a location holds: since when, taken where, and the calls that it made meanwhile."""

    def __init__(self, since, place):
        self.since, self.place, self.depth, self.calls = since, place, 1, collections.Counter()


class Lock:
    def __init__(self, first):
        self.first, self.acquisitions, self.conditions = first, 0, 0
        self.releases, self.holds, self.waits = [], [], []
        self.held, self.longest_held, self.divided = 0, 0, []

    def uses(self, shortest):
        """{(location, place): [held, blocked]}: each moment of a wait is the hold's that ends last."""
        found = collections.OrderedDict()
        for hold in self.holds:
            if hold.until - hold.since >= shortest:
                found.setdefault((hold.location, hold.place), [0, 0])[0] += hold.until - hold.since
        for location, begin, end, n_holds in self.divided:
            near = [hold for hold in self.holds[:n_holds] if hold.until - hold.since >= shortest][-HOLDS:]
            near = [hold for hold in near if hold.location != location]
            times = (time for hold in near for time in (hold.since, hold.until))
            borders = sorted({begin, end, *(time for time in times if begin < time < end)})
            for a, b in zip(borders, borders[1:]):
                over = [(hold.until, i) for i, hold in enumerate(near) if hold.since <= a and hold.until >= b]
                if over:
                    hold = near[max(over)[1]]
                    found[(hold.location, hold.place)][1] += b - a
        return found


class LockModel:
    """`locks`: {(process, id, paradigm): Lock}."""

    def __init__(self, archive, slack=0):
        self.archive, self.paths, self.slack = archive, Paths(archive), slack
        self.second = next(values["timerResolution"] for name, values in archive.definitions
                           if name == "ClockProperties")
        self.of_waits = self.processes_of_waits()
        steps = []
        for number, location in enumerate(archive.locations):
            steps += self.steps_of(location, number)
        self.locks = {}
        for step in sorted(steps, key=lambda step: (step.time, step.order)):
            lock = self.locks.setdefault(step.lock, Lock(step.place))
            if step.is_release:
                self.release(lock, step)
            else:
                self.acquire(lock, step)

    # ---- reading ----

    def processes_of_waits(self):
        """Of which only locks are recorded that a thread had to wait for."""
        return {values["locationGroup"] for name, values in self.archive.definitions
                if name == "LocationGroupProperty" and self.archive.string(values["name"]) == "LOCKS"}

    def process_of(self, location):
        return self.archive.spaces["Location"][location][1]["locationGroup"]

    def site(self, attributes):
        for number, _, value in attributes or ():
            if self.archive.name_of("Attribute", number) == SITE and value != UNDEFINED:
                _, name, file, line = next(self.paths.nodes(value))
                return f"{os.path.basename(file)}:{line}" if line else name
        return ""

    def steps_of(self, location, number):
        """What a location does with locks, with what it is in meanwhile."""
        process, stack, held = self.process_of(location), [], {}
        for sequence, (kind, time, values, attributes) in enumerate(self.archive.events(location)):
            if kind == "Enter":
                stack.append(Frame(time, (self.archive.name_of("Region", values[0]), self.site(attributes))))
            elif kind == "Leave" and stack:
                frame = stack.pop()
                caller = stack[-1].enter if stack else -1
                for one in held.values():
                    if frame.enter >= one.since >= caller:
                        one.calls[frame.place] += time - frame.enter
            elif kind in ("ThreadAcquireLock", "ThreadReleaseLock"):
                lock = process, values[1], PARADIGMS[values[0]]
                yield self.step(location, (number, sequence), time, lock, kind == "ThreadReleaseLock",
                                stack, held)

    @staticmethod
    def step(location, order, time, lock, is_release, stack, held):
        frame = stack[-1] if stack else None
        place = frame.place if frame else ("", "")
        step = Step(time, order, lock, is_release, place, frame.enter if frame else None,
                    bool(frame and frame.has_released), None)
        if is_release:
            if frame:
                frame.has_released = True
            one = held.get(lock)
            if one:
                one.depth -= 1
                if not one.depth:
                    del held[lock]
                    return step._replace(hold=Hold(location, one.since, time, one.place, one.calls))
        elif lock in held:
            held[lock].depth += 1
        else:
            held[lock] = Held(time, place)
        return step._replace(hold=location)

    # ---- what follows ----

    @staticmethod
    def release(lock, step):
        if not isinstance(step.hold, Hold):
            return
        lock.holds.append(step.hold)
        lock.releases.append((step.hold.location, step.time))
        lock.held += step.time - step.hold.since
        lock.longest_held = max(lock.longest_held, step.time - step.hold.since)

    def acquire(self, lock, step):
        location, (process, _, paradigm) = step.hold, step.lock
        is_known = not (paradigm == "PTHREAD" and process in self.of_waits)
        lock.acquisitions += 1
        if step.enter is None:
            return
        if step.has_released:
            lock.conditions += 1
        elif not is_known or any(other != location and time > step.enter for other, time in lock.releases):
            lock.waits.append((location, step.enter, step.time))
            if is_known:
                lock.divided.append((location, step.enter, step.time, len(lock.holds)))

    # ---- the table ----

    def row(self, key):
        """The columns that have one right value."""
        lock, times = self.locks[key], [end - begin for _, begin, end in self.locks[key].waits]
        return {"acquisitions": lock.acquisitions, "contended": len(times), "conditions": lock.conditions,
                "waiters": len({location for location, _, _ in lock.waits}), "call": lock.first[0],
                "site": lock.first[1], "waiting": sum(times), "longest": max(times, default=0),
                "held": lock.held, "longest_held": lock.longest_held}

    def names(self, location, process):
        """What a reader may call it."""
        name = self.archive.name_of("Location", location)
        return {name, f"thread {name}", f"{process}, {name}", process}

    def is_near(self, got, want):
        return all(abs(one - other) <= self.slack for one, other in zip(got, want))

    def holder_faults(self, key, row):
        """What is wrong with the holder in a row of the report; lines of text."""
        lock, faults = self.locks[key], []
        waited = sum(end - begin for _, begin, end in lock.waits)
        uses = lock.uses(SHORTEST_S * self.second)
        places = collections.defaultdict(lambda: [0, 0])
        for (_, place), (held, blocked) in uses.items():
            if blocked and place != ("", ""):
                places[place][0] += held
                places[place][1] += blocked
        one, where = (max((blocked for _, blocked in some.values()), default=0) for some in (uses, places))
        got = tuple(round(row[name] * self.second) for name in ("holder_held", "holder_waiting"))
        if one and 2 * one >= waited:
            best = {who: held for who, (held, blocked) in uses.items() if blocked == one}
            right = [who for who, held in best.items() if self.is_near(got, (held, one)) and
                     row["holder"] in self.names(who[0], row["process"]) and row["holder_site"] == who[1][1]]
            if not right:
                faults.append(f"holder {row}, not one of {best} for {one} ticks")
            elif len(right) == 1:
                faults += self.call_faults(lock, right[0], got[0], row["holder_call"])
        elif where and 2 * where >= waited:
            best = [(place[1], held) for place, (held, blocked) in places.items() if blocked == where]
            if row["holder"] or not any(row["holder_site"] == site and self.is_near(got, (held, where))
                                        for site, held in best):
                faults.append(f"a place {row}, not one of {best} for {where} ticks")
        elif (row["holder"], row["holder_site"], row["holder_call"], *got) != ("", "", "", 0, 0):
            faults.append(f"a holder {row}, of {dict(uses)} in {waited} ticks")
        return faults

    @staticmethod
    def is_most(call, calls):
        """Of a few calls; the report does not tell more of them apart."""
        return len(calls) <= CALLS and all(n < calls[call] for other, n in calls.items() if other != call)

    def call_faults(self, lock, who, held, told):
        """A call that is told takes half of the time; one that always takes most of it is told."""
        shortest, total = SHORTEST_S * self.second, collections.Counter()
        holds = [hold for hold in lock.holds if (hold.location, hold.place) == who and
                 hold.until - hold.since >= shortest]
        for hold in holds:
            total.update(hold.calls)
        texts = {f"{name} at {site}" if site else name: ticks for (name, site), ticks in total.items()}
        if told and 2 * texts.get(told, 0) < held:
            return [f"the call {told} takes {texts.get(told, 0)} of {held} ticks"]
        always = [call for call, ticks in total.items() if 2 * ticks >= held and ticks and
                  all(self.is_most(call, hold.calls) for hold in holds if hold.calls)]
        if always and not told:
            return [f"no call is told, but {always} takes {total[always[0]]} of {held} ticks"]
        return []


def faults_of(model, rows, process_of):
    """
    What is wrong with the rows of the table, which are all; lines of text. `process_of` makes the number of a
    process from its name.
    """
    found = []
    seen = {(process_of(row["process"]), row["lock"], row["paradigm"]): row for row in rows}
    want = {key for key, lock in model.locks.items() if lock.acquisitions}
    if seen.keys() != want or len(seen) != len(rows):
        return [f"locks {sorted(seen)}, not {sorted(want)}"]
    for key, row in seen.items():
        for name, value in model.row(key).items():
            is_time = name in ("waiting", "longest", "held", "longest_held")
            got = round(row[name] * model.second) if is_time else row[name]
            if not (model.is_near([got], [value]) if is_time else got == value):
                found.append(f"{name} of {key} is {got}, not {value}")
        found += [f"{key}: {fault}" for fault in model.holder_faults(key, row)]
    return found
