# SPDX-License-Identifier: BSD-3-Clause
"""Files that are mapped to memory: each mapping is a handle that lives from its first to its last page."""

import json
import os

import io_events

of = "wrappers/io"
command = ["{programs}/serial_maps"]
env = {"SPUR_IO": "posix", "SPUR_WRAP": "io,process"}

PAGE, MAP = 4096, 5  # the row of io_paradigms.def
READ_ONLY, WRITE_ONLY, READ_WRITE = 0, 1, 2
# Of each process: mappings as they come and go; (file, access, pages) or the file whose mapping ends.
PARENT = [("parts", READ_WRITE, 16), "parts", ("moved", READ_ONLY, 2), "moved",
          ("moved", READ_ONLY, 16), "moved", ("inherited", WRITE_ONLY, 1), "inherited",
          ("handled", READ_ONLY, 1), "handled"]
CHILD = [("inherited", READ_ONLY, 3), "inherited"]
CALLS = {"mmap": 6, "munmap": 6, "mremap": 1, "msync": 1}
REPORT = {"parts": 16, "moved": 18, "inherited": 4, "handled": 1}


def maps(trace, location, handles):
    paths = io_events.files(trace.archive)
    for name, _, values, attributes in trace.events(location):
        if not name.startswith("Io") or handles.get(values[0], {}).get("ioParadigm") != MAP:
            continue
        path = os.path.basename(paths[values[0]])
        if name == "IoCreateHandle":
            yield path, values[1], attributes[0][-1] // PAGE
        elif name == "IoDestroyHandle":
            yield path


def check(trace, run):
    handles = {values["self"]: values for name, values in trace.archive.definitions if name == "IoHandle"}
    of_map = [values for values in handles.values() if values["ioParadigm"] == MAP]
    run.equal({(handles[values["parent"]]["ioParadigm"], handles[values["parent"]]["file"] == values["file"])
               for values in of_map}, {(1, True)}, "parents")
    told = [list(maps(trace, stream.location, handles)) for stream in trace.streams]
    run.equal(sorted(told, key=len), [CHILD, PARENT], "mappings")
    run.equal({name: trace.regions().get(name, 0) for name in CALLS}, CALLS, "calls")
    flushes = [one for stream in trace.streams for one in io_events.operations(trace, stream.location)]
    run.equal([(one[0] in [values["self"] for values in of_map], one[1]) for one in flushes],
              [(True, io_events.FLUSH)], "msync")
    tool = os.path.join(run.build, "libexec", "spur", "spur-report")
    report = run.execute([tool, "--json", "--by", "files", trace.archive.path], "report")
    rows = json.loads(report.stdout)["sections"]["files"]
    run.equal({os.path.basename(row["file"]): row["mapped_bytes"] // PAGE for row in rows
               if row["layer"] == "Mapped files"}, REPORT, "bytes in the report")
