# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with an archive; one with the same fault a million times stays readable."""

PER_KIND = 10


class Verdict:
    """Faults in the order found. `kind` is a few words that name the rule that was broken."""

    def __init__(self):
        self.faults = []
        self.counts = {}

    def fault(self, kind, text):
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= PER_KIND:
            self.faults.append(f"{kind}: {text}")

    def lines(self):
        more = [f"{kind}: {count - PER_KIND} more"
                for kind, count in self.counts.items() if count > PER_KIND]
        return self.faults + more
