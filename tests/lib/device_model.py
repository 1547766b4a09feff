# SPDX-License-Identifier: BSD-3-Clause
"""
Programs that use devices, drawn, and what is true of them: `Program(rng)` has processes whose threads call
MPI and OpenCL and give work to the streams of devices. All sums are counted tick by tick.
"""

import collections

PROGRAM, MPI, WAITING, CALLS = "program", "MPI", "waiting", "calls"
KINDS = ("kernel", "to device", "to host", "on device", "fill", "other")
COPIES = ("to device", "to host", "on device", "fill")
NAMES = {"kernel": ("solve", "reduce"), "to device": ("write buffer", "map"),
         "to host": ("read buffer", "map", "copy to host", "copy to host (pageable)"),
         "on device": ("copy buffer",), "fill": ("fill buffer",), "other": ("unmap",)}


class Thread:
    """A time line: for each tick what the thread does. `calls`: [(begin, end, what, launch)]."""

    def __init__(self, location, length):
        self.location, self.does, self.calls, self.length = location, [PROGRAM] * length, [], length

    def call(self, begin, end, what, launch=None):
        self.calls.append((begin, end, what, launch))
        self.does[begin:end] = [what] * (end - begin)

    def before(self, tick):
        """What it does when what has happened up to the tick has happened."""
        open_calls = [what for begin, end, what, _ in self.calls if begin <= tick < end]
        return open_calls[0] if open_calls else PROGRAM


class Work:
    def __init__(self, stream, kind, name, begin, end, launch, said):
        self.stream, self.kind, self.name, self.begin, self.end = stream, kind, name, begin, end
        self.launch = launch  # (thread, time), None: nobody knows
        self.said = said  # its number, None: none
        self.bytes = self.items = 0


class Device:
    def __init__(self, group, name, streams):
        self.group, self.name, self.streams, self.works = group, name, streams, []

    def intervals(self):
        """The times with work, those that touch joined."""
        joined = []
        for work in sorted(self.works, key=lambda w: (w.begin, w.end)):
            if joined and work.begin <= joined[-1][1]:
                joined[-1][1] = max(joined[-1][1], work.end)
            else:
                joined.append([work.begin, work.end])
        return joined

    def ticks(self, *kinds):
        return {tick for work in self.works if work.kind in kinds for tick in range(work.begin, work.end)}

    def gaps(self, threads):
        """[(begin, end, {cause: ticks}, whether its thread was in a call of the runtime)]"""
        found, joined = [], self.intervals()
        for (_, begin), (end, _) in zip(joined, joined[1:]):
            first = min((w for w in self.works if w.begin == end), key=lambda w: w.stream)
            first = min((w for w in self.works if w.begin == end and w.stream == first.stream),
                        key=self.works.index)
            causes, is_after = collections.Counter(), False
            if first.launch is None:
                causes["unknown"] = end - begin
            else:
                thread, time = first.launch
                late = range(begin, max(begin, time))
                causes.update(threads[thread].does[tick] for tick in late)
                causes["launch"] += end - begin - len(late)
                is_after = bool(late) and threads[thread].before(begin) in (WAITING, CALLS)
            found.append((begin, end, +causes, is_after))
        return found


class Process:
    """Threads, the devices that they use, and what both do."""

    def __init__(self, rng, number, length, groups, has_marks):
        self.rng, self.number, self.length, self.has_marks = rng, number, length, has_marks
        self.name = f"Process {number}"
        self.threads = [Thread(number << 32 | i, length) for i in range(rng.randrange(1, 4))]
        self.devices, self.n_launches = [], 0
        streams = number << 32 | len(self.threads)
        for group in groups:
            n = rng.randrange(1, 4)
            self.devices.append(Device(group, f"device {group}", list(range(streams, streams + n))))
            streams += n
        self.busy_until = collections.Counter()
        for thread in range(len(self.threads)):
            self._draw_thread(thread)
        for device in self.devices:
            device.works.sort(key=lambda w: (w.begin, w.end))

    def _draw_thread(self, number):
        thread, now = self.threads[number], self.rng.randrange(20)
        while True:
            begin = now + self.rng.choice((0, 1, self.rng.randrange(40)))
            end = begin + self.rng.choice((1, self.rng.randrange(1, 30)))
            if end > self.length:
                return
            what = self.rng.choice((MPI, WAITING, CALLS, CALLS, CALLS))
            launch = None
            if what == CALLS and self.devices and self.rng.random() < 0.8:
                self.n_launches += 1
                launch = self.n_launches
                if self.rng.random() < 0.95:  # what is given need not be recorded
                    for _ in range(self.rng.choice((1, 1, 1, 3))):
                        self._draw_work(number, begin, launch)
            thread.call(begin, end, what, launch)
            now = end

    def _draw_work(self, thread, time, launch):
        device = self.rng.choice(self.devices)
        stream = self.rng.choice(device.streams)
        begin = max(time, self.busy_until[stream]) + self.rng.choice((0, self.rng.randrange(30)))
        end = begin + self.rng.choice((0, self.rng.randrange(40), self.rng.randrange(5)))
        if end > self.length:
            return
        self.busy_until[stream] = end
        kind = self.rng.choice(KINDS[:4] if not self.has_marks else KINDS)
        work = Work(stream, kind, self.rng.choice(NAMES[kind]), begin, end, (thread, time), launch)
        if self.has_marks and self.rng.random() < 0.1:
            work.said = self.rng.choice((None, launch + 10**6))  # a call that nobody has seen
        if not self.has_marks or work.said != launch:
            work.launch = None
        if not self.has_marks:
            work.said = None
        if kind == "kernel":
            work.items = self.has_marks * self.rng.randrange(1, 1 << 40)
        elif kind != "other":
            work.bytes = self.rng.randrange(1 << 20)
        device.works.append(work)


class Program:
    """`has_marks`: with the attributes and parameters of spur, without which calls are not known."""

    def __init__(self, rng):
        self.length = rng.randrange(100, 600)
        self.has_marks = rng.random() < 0.8
        self.processes, groups = [], rng.choice((1, 2, 3))
        next_group = groups
        for number in range(groups):
            n = rng.choice((0, 1, 1, 2)) if number else rng.choice((1, 2))
            self.processes.append(Process(rng, number, self.length, range(next_group, next_group + n),
                                          self.has_marks))
            next_group += n

    def devices(self):
        return [(p, d) for p in self.processes for d in p.devices if d.works]

    # ---- what the report has to say ----

    def tables(self, only=None):
        """By section: the key of a row to its columns; of one process."""
        chosen = [(p, d) for p, d in self.devices() if only in (None, p)]
        by = {section: {} for section in ("devices", "device_idle", "device_kernels", "device_copies")}
        for process, device in chosen:
            gaps = device.gaps(process.threads)
            by["devices"][device.name, process.name] = device_row(device, gaps)
            causes = sum((causes for _, _, causes, _ in gaps), collections.Counter())
            for cause, ticks in causes.items():
                by["device_idle"][device.name, process.name, cause] = {
                    "idle": ticks / 1000, "idle_percent": 100 * ticks / sum(causes.values())}
        works = [(device, work) for _, device in chosen for work in device.works]
        kernels = [(device, work) for device, work in works if work.kind == "kernel"]
        all_ticks = sum(work.end - work.begin for _, work in kernels)
        for name in {work.name for _, work in kernels}:
            own = [(device, work) for device, work in kernels if work.name == name]
            by["device_kernels"][name,] = kernel_row(own, all_ticks)
        for name, kind in {(work.name, work.kind) for _, work in works if work.kind != "kernel"}:
            own = [(device, work) for device, work in works if (work.name, work.kind) == (name, kind)]
            by["device_copies"][name, kind] = copy_row(own)
        return by


def device_row(device, gaps):
    kernels, copies = device.ticks("kernel"), device.ticks(*COPIES)
    first, last = min(w.begin for w in device.works), max(w.end for w in device.works)
    busy = len(device.ticks(*KINDS))
    idle = sum(end - begin for begin, end, _, _ in gaps)
    return {"streams": len({w.stream for w in device.works}), "span": (last - first) / 1000,
            "busy": busy / 1000, "busy_percent": 100 * busy / (last - first) if last > first else None,
            "kernels": len(kernels) / 1000, "copies": len(copies) / 1000,
            "overlap": len(kernels & copies) / 1000,
            "overlap_percent": 100 * len(kernels & copies) / len(copies) if copies else None,
            "gaps": len(gaps), "idle": idle / 1000,
            "longest": max((end - begin for begin, end, _, _ in gaps), default=0) / 1000,
            "synchronised": sum(end - begin for begin, end, _, is_after in gaps if is_after) / 1000,
            "memory": 0, "managed": 0, "pinned": 0}


def latencies(own):
    known = [work.begin - work.launch[1] for _, work in own if work.launch]
    return {"latency": sum(known) / len(known) / 1000 if known else None,
            "latency_min": min(known) / 1000 if known else None,
            "devices": len({device.group for device, _ in own})}


def kernel_row(own, all_ticks):
    ticks = [work.end - work.begin for _, work in own]
    return {"calls": len(own), "time": sum(ticks) / 1000,
            "time_percent": 100 * sum(ticks) / all_ticks if all_ticks else None, "min": min(ticks) / 1000,
            "avg": sum(ticks) / len(ticks) / 1000, "max": max(ticks) / 1000,
            "items": sum(work.items for _, work in own), **latencies(own)}


def copy_row(own):
    ticks = [work.end - work.begin for _, work in own]
    size = sum(work.bytes for _, work in own)
    return {"count": len(own), "bytes": size, "avg_bytes": size / len(own), "time": sum(ticks) / 1000,
            "max": max(ticks) / 1000, "bandwidth": 1000 * size / sum(ticks) if size and sum(ticks) else None,
            **latencies(own)}
