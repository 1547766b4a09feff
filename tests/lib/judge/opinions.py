# SPDX-License-Identifier: BSD-3-Clause
"""What the reference library's tools say about an archive."""

import subprocess
import sys

from patience import HANG_S
from small_tables import with_small_tables

try:
    import otf2
    from otf2.event_reader import BufferedEventReader
except ImportError as error:
    sys.exit(f"check_trace: {error} for {sys.executable}; run it by /usr/bin/python3 with Debian's"
             " python3-otf2 and python3-six installed")


MADE = 1000  # of each kind


class Counting(BufferedEventReader):
    """Reads and counts all events; of each kind the first ones become objects, which takes longest."""

    def __init__(self, reader):
        super().__init__(reader, 100)
        self.counts = {}

    def _append(self, event_type, *values):
        name = event_type.__name__
        count = self.counts[name] = self.counts.get(name, 0) + 1
        if count <= MADE:
            super()._append(event_type, *values)


def check_otf2_print(path, verdict):
    """`otf2-print -A -Werror` ends well and has nothing to say on stderr."""
    try:
        run = subprocess.run(["otf2-print", "-A", "-Werror", path], env=with_small_tables(),
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=HANG_S, check=False)
    except FileNotFoundError:
        sys.exit("check_trace: otf2-print is missing (Debian: otf2-tools)")
    except subprocess.TimeoutExpired:
        verdict.fault("otf2-print", f"not done after {HANG_S} s")
        return
    for line in run.stderr.decode(errors="replace").splitlines():
        verdict.fault("otf2-print", line)
    if run.returncode != 0:
        verdict.fault("otf2-print", f"exit status {run.returncode}")


def check_python_reader(archive, kinds, verdict):
    """otf2.reader goes through all events and finds the same number of each kind."""
    if any(name == "InterComm" for name, _ in archive.definitions):
        return  # it cannot open these: it wants an attribute of InterComm that there is not
    try:
        with otf2.reader.open(archive.path) as reader:
            counting = Counting(reader)
            for _ in counting:
                pass
    except Exception as error:  # whatever it stumbles over is a fault of the archive
        verdict.fault("otf2.reader", f"{type(error).__name__}: {error}")
        return
    found = counting.counts
    for name in sorted(set(found) | set(kinds)):
        if found.get(name, 0) != kinds.get(name, 0):
            verdict.fault("otf2.reader", f"{found.get(name, 0)} {name}, not {kinds.get(name, 0)}")
