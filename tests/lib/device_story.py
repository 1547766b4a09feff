# SPDX-License-Identifier: BSD-3-Clause
"""
What is true of a program that keeps a diary (tests/programs/device_story.h): why its device is idle, and how
long its kernels wait, found from the diary and from what the device did. All times are in ns.
"""

import collections

PROGRAM, LAUNCH = "program", "launch"


class Story:
    """`calls`: [(begin, end, kind)], in order. By device: `gave`, when calls began and ended, and `works`."""

    def __init__(self, diary, truth=None):
        self.calls, self.gave = [], collections.defaultdict(list)
        self.works = collections.defaultdict(list)
        with open(diary, encoding="utf-8") as file:
            for line in file:
                what, which, begin, end = line.split()
                begin, end = int(begin), int(end)
                if what == "work":
                    self.works[which].append((begin, end))
                    continue
                self.calls.append((begin, end, "calls" if what == "gave" else which))
                if what == "gave":
                    self.gave[which].append((begin, end))
        if truth:
            with open(truth, encoding="utf-8") as file:
                for line in file:
                    _, device, _, begin, end = line.split()[:5]
                    self.works[device].append((int(begin), int(end)))

    def between(self, begin, end):
        """What the thread does in that time: {kind: ns}."""
        found = collections.Counter()
        for call_begin, call_end, kind in self.calls:
            found[kind] += max(0, min(end, call_end) - max(begin, call_begin))
        found[PROGRAM] += end - begin - sum(found.values())
        return found

    def causes(self, device):
        """Why it is idle between two works: {cause: ns}; and the longest of these times."""
        causes, longest = collections.Counter(), 0
        works, gave = self.works[device], self.gave[device]
        for (_, begin), (end, _), (given, _) in zip(works, works[1:], gave[1:]):
            if end <= begin:
                continue
            late = max(begin, given)
            causes.update(self.between(begin, late))
            causes[LAUNCH] += end - late
            longest = max(longest, end - begin)
        return causes, longest

    def after_waiting(self, device, apart):
        """
        What of that began while the thread was in a call, and that was late: at least and at most, since
        clocks that are `apart` do not tell on which side of the begin or end of a call something was.
        """
        works, gave, least, most = self.works[device], self.gave[device], 0, 0
        calls = [call for call in self.calls if call[2] in ("calls", "waiting")]
        for (_, begin), (end, _), (given, _) in zip(works, works[1:], gave[1:]):
            if given > begin - apart and any(call[0] - apart <= begin <= call[1] + apart for call in calls):
                most += max(0, end - begin)
                is_sure = any(call[0] + apart <= begin <= call[1] - apart for call in calls)
                least += max(0, end - begin) if is_sure and given > begin + apart else 0
        return least, most

    def latencies(self, device, is_it):
        """Of its works of those numbers, at least and at most: the call gave it before it returned."""
        pairs = [pair for i, pair in enumerate(zip(self.works[device], self.gave[device])) if is_it(i)]
        return [work[0] - call[1] for work, call in pairs], [work[0] - call[0] for work, call in pairs]
