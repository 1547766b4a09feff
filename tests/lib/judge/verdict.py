# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with an archive; one with the same fault a million times stays readable."""

PER_KIND = 10


# Rules about partners: what an archive says it does not hold may be the missing one.
ABOUT_PARTNERS = {"collectives", "communicators", "files", "locks", "messages", "requests",
                  "threads"}


class Verdict:
    """Faults in the order found. `kind` is a few words that name the rule that was broken."""

    def __init__(self):
        self.faults = []
        self.counts = {}
        self.is_incomplete = False

    def declare(self, archive):
        """Take note of what the archive says that it does not hold."""
        names = {archive.string(values["name"]) for name, values in archive.definitions
                 if name in ("LocationProperty", "LocationGroupProperty")}
        self.is_incomplete = bool(names & {"SPUR::DROPPED_EVENTS", "SPUR::STOPPED"}) \
            or "SPUR::SNAPSHOT" in archive.anchor.properties

    def fault(self, kind, text):
        if self.is_incomplete and kind in ABOUT_PARTNERS:
            return
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= PER_KIND:
            self.faults.append(f"{kind}: {text}")

    def lines(self):
        more = [f"{kind}: {count - PER_KIND} more"
                for kind, count in self.counts.items() if count > PER_KIND]
        return self.faults + more
