# SPDX-License-Identifier: BSD-3-Clause
"""
Copy an archive by the Python module's writer, definition by definition and event by event.

    python_write.py ANCHOR_FILE TARGET_DIRECTORY
"""
import sys
import time

import otf2

# The writer notes down when it wrote its first event.
time.time = lambda: 1700000000.0

with otf2.reader.open(sys.argv[1]) as trace:
    with otf2.writer.open(sys.argv[2], definitions=trace.definitions) as copy:
        for location, event in trace.events:
            copy.event_writer_from_location(location).write(event)
