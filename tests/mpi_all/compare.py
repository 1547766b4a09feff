# SPDX-License-Identifier: BSD-3-Clause
"""
What was recorded for each call of the table, in all languages and with all libraries. Calls are
told apart by their place in the table. What only one of two programs calls, or calls without
success, is not compared.
"""

import re

from mpi_all.calls import seen_calls

# Ids count what came before, in the calls that are not compared as well.
IDS = re.compile(r'\b(requestID|win|handle|matchingId|lockId)=(\d+)|\bcomm(\d+)"[^"]*"')


class _Renumbered:
    def __init__(self):
        self.known = {}

    def line(self, line):
        return IDS.sub(self._word, line)

    def _word(self, match):
        kind, number = (match[1], match[2]) if match[1] else ("comm", match[3])
        numbers = self.known.setdefault(kind, {})
        return f"{kind}={numbers.setdefault(number, len(numbers))}"


def _blocks(trace, calls):
    """{process: [(key, lines)]}, one per outermost region."""
    found = {}
    for line in trace.sequence():
        label, text = line.split(" ", 1)
        process, thread = label.split(".")
        if thread != "0" or process not in calls:
            continue
        blocks = found.setdefault(process, [])
        if text.startswith("Enter "):
            blocks.append((calls[process][len(blocks)], []))
        if blocks and not text.startswith("Program"):
            blocks[-1][1].append(text)
    return found


class Differences:
    def __init__(self):
        self.programs = {}

    def add(self, label, trace, logs):
        """`logs` of read_calls(), which the regions of the trace have been compared with."""
        calls = {name.split(".")[1]: [f"{key} {call}{'' if error == '0' else ' fails'}"
                                      for key, call, error in seen_calls(log, label)]
                 for name, log in logs.items() if name.startswith("main.")}
        self.programs[label] = _blocks(trace, calls)

    def found(self):
        """One line per difference between the first program and another."""
        lines = []
        names = list(self.programs)
        for i, one in enumerate(names):
            for other in names[i + 1:]:
                lines += list(self._between(one, other))
        return lines

    def _between(self, one, other):
        for process, blocks in self.programs[one].items():
            others = self.programs[other].get(process, [])
            # What stands at no place of the table is called as often as a library asks for.
            keys = {key for key, _ in blocks if ":" in key} & {key for key, _ in others}
            scenes = dict.fromkeys(key.split(":")[0] for key, _ in blocks if key in keys)
            for scene in scenes:
                left, right = ([(key, line) for key, lines in which if key in keys and
                                key.split(":")[0] == scene for line in lines]
                               for which in (blocks, others))
                yield from self._first(f"{one} and {other}, process {process}", left, right)

    @staticmethod
    def _first(label, left, right):
        names = [_Renumbered(), _Renumbered()]
        for one, other in zip(left + [("end", "")], right + [("end", "")]):
            texts = [name.line(line) for name, (_, line) in zip(names, (one, other))]
            if texts[0] != texts[1] or one[0] != other[0]:
                yield f"{label}, {one[0]}: {texts[0]!r} and {other[0]}: {texts[1]!r}"
                return
