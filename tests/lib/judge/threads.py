# SPDX-License-Identifier: BSD-3-Clause
"""Rules about POSIX threads: pairs of (contingent, sequence) and the order of locks."""

from judge.otf2_read import UNDEFINED64


class ThreadRules:
    """Collects thread and lock records of all locations; finish() compares them."""

    def __init__(self, archive, verdict, allow_unfinished):
        self.archive, self.verdict = archive, verdict
        self.allow_unfinished = allow_unfinished
        self.log = {"ThreadCreate": {}, "ThreadBegin": {}, "ThreadWait": {}, "ThreadEnd": {}}
        self.locks = {}  # (process, lock) -> [(time, location, order, "a" or "r", is shared)]
        self.handlers = {
            "ThreadCreate": self._noter("ThreadCreate"), "ThreadWait": self._noter("ThreadWait"),
            "ThreadBegin": self._noter("ThreadBegin"), "ThreadEnd": self._noter("ThreadEnd"),
            "ThreadAcquireLock": self._locker("a"), "ThreadReleaseLock": self._locker("r")}
        self.shared = {number for number, (_, values) in archive.spaces["Region"].items()
                       if "rwlock" in (archive.string(values["name"]) or "")}

    def _noter(self, kind):
        log = self.log[kind]

        def note(stream, time, values):
            if kind == "ThreadEnd" and values[1] == UNDEFINED64:
                return
            if values in log:
                self.verdict.fault("threads", f"{stream.label} #{stream.index}: a second {kind} of"
                                              f" {values}")
            log[values] = (time, stream)

        return note

    def _locker(self, what):
        def note(stream, time, values):
            is_shared = bool(stream.stack) and stream.stack[-1] in self.shared
            self.locks.setdefault((stream.process, values[1]), []).append(
                (time, stream.location, values[2], what, is_shared))

        return note

    def finish(self, streams):
        self._check_pairs()
        self._check_places(streams)
        for (process, lock), log in self.locks.items():
            self._check_lock(f"process {process} lock {lock}", log)

    def _check_pairs(self):
        """Create happens before begin, end before wait; a wait needs a begin."""
        create, begin, wait, end = (self.log[k] for k in ("ThreadCreate", "ThreadBegin",
                                                          "ThreadWait", "ThreadEnd"))
        for what, earlier, later in (("Begin before Create", create, begin),
                                     ("End before Begin", begin, end),
                                     ("Wait before End", end, wait)):
            for pair in later:
                if pair not in earlier:
                    self.verdict.fault("threads", f"{what}: {pair} is missing the first")
                elif earlier[pair][0] > later[pair][0]:
                    self.verdict.fault("threads", f"{what}: {pair} at {later[pair][0]}, first at"
                                                  f" {earlier[pair][0]}")
                elif earlier[pair][1].process != later[pair][1].process:
                    self.verdict.fault("threads", f"{what}: {pair} in two processes")
        for pair in create:
            if pair not in begin and not self.allow_unfinished:
                self.verdict.fault("threads", f"{pair} was created and never began")

    def _check_places(self, streams):
        for stream in streams:
            if stream.first is None:
                continue
            begins, ends = stream.kinds.get("ThreadBegin", 0), stream.kinds.get("ThreadEnd", 0)
            if stream.is_main:
                if begins or ends:
                    self.verdict.fault("threads", f"{stream.label}: the main thread begins or ends")
                continue
            # One without a begin was created behind the agent's back: no ThreadCreate asks for it.
            if begins and (begins != 1 or stream.first[0] != "ThreadBegin"):
                self.verdict.fault("threads", f"{stream.label} begins with {stream.first[0]}")
            # A thread that lives on when its process ends has no end of its own.
            if ends > 1 or ends and stream.last[0] != "ThreadEnd":
                self.verdict.fault("threads", f"{stream.label} ends with {stream.last[0]}")

    def _check_lock(self, label, log):
        """Orders are counted without holes; only its holder gives a lock back."""
        acquired = sorted((entry for entry in log if entry[3] == "a"), key=lambda e: e[2])
        orders = [entry[2] for entry in acquired]
        if orders and orders != list(range(orders[0], orders[0] + len(orders))):
            self.verdict.fault("locks", f"{label}: acquisition orders {orders[:12]}")
        if orders and orders[0] > 1:
            self.verdict.fault("locks", f"{label}: orders begin with {orders[0]}")
        for before, after in zip(acquired, acquired[1:]):
            if before[0] > after[0]:
                self.verdict.fault("locks", f"{label}: order {after[2]} comes before {before[2]}")
        released = {}
        for time, location, order, what, _ in log:
            if what == "r":
                if order in released:
                    self.verdict.fault("locks", f"{label}: order {order} is released twice")
                released[order] = (time, location)
        by_order = {entry[2]: entry for entry in acquired}
        for order, (time, location) in released.items():
            entry = by_order.get(order)
            if entry is None or entry[0] > time or entry[1] != location:
                self.verdict.fault("locks", f"{label}: release of order {order} by {location} at"
                                            f" {time}, acquired {entry and entry[:2]}")
        self._check_exclusion(label, acquired, released)

    def _check_exclusion(self, label, acquired, released):
        for before, after in zip(acquired, acquired[1:]):
            if before[4] or after[4] or before[1] == after[1]:
                continue  # readers share; a recursive mutex is taken again by its holder
            if before[2] not in released:
                self.verdict.fault("locks", f"{label}: order {after[2]} while {before[1]} holds it")
            elif released[before[2]][0] > after[0]:
                self.verdict.fault("locks", f"{label}: order {after[2]} at {after[0]}, but"
                                            f" {before[2]} is released at {released[before[2]][0]}")
