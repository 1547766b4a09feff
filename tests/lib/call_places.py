# SPDX-License-Identifier: BSD-3-Clause
"""
Call sites in programs of others, which have no debug information: each is a function, or a module and an
offset, at which the machine code has a call of that very function.
"""

import collections
import os
import re
import struct
import subprocess

from call_sites import NAME
from call_stacks import Paths
from judge.otf2_read import UNDEFINED32 as UNDEFINED

PLACED = re.compile(r"(.+)\+0x([0-9a-f]+)")
CALL, LOAD = 0xe8, 1  # a call of x86-64 with its distance; the type of a program header


class Code:
    """The machine code of a file of x86-64."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        at, = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        heads = [struct.unpack_from("<IIQQQQ", self.data, at + i * size) for i in range(count)]
        self.loads = [(address, offset, length) for kind, _, offset, address, _, length in heads
                      if kind == LOAD]
        words = ["objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout  # few files have all of these sections
        self.stubs = {int(number, 16): name for number, name in
                      re.findall(r"^([0-9a-f]+) <([^@>]+)@plt>:", said, re.MULTILINE)}

    def called(self, address):
        """The function of another file that the call called whose last byte is there; "": something else."""
        for first, offset, size in self.loads:
            begin = address - 4
            if first <= begin and address < first + size:
                at = offset + begin - first
                distance, = struct.unpack_from("<i", self.data, at + 1)
                return self.stubs.get(address + 1 + distance, "") if self.data[at] == CALL else ""
        return ""


def sites_of(trace, prefixes):
    """{(call, text of its site or None)} of calls whose names begin like that: how often."""
    paths, archive, found = Paths(trace.archive), trace.archive, collections.Counter()
    for location in archive.locations:
        for kind, _, values, attributes in archive.events(location):
            name = archive.name_of("Region", values[0]) if kind == "Enter" else ""
            if name.startswith(prefixes):
                text = next((next(paths.nodes(value))[1] for number, _, value in attributes or ()
                             if archive.name_of("Attribute", number) == NAME and value != UNDEFINED), None)
                found[name, text] += 1
    return found


def check_places(run, trace, prefixes, module=None, library=None):
    """
    All of these calls have a site. Of those in the file `module`, 3 of 4 or more are calls of that function
    (of others the function that makes the call has given its place away); all functions that are named are
    known to the file `library`.
    """
    found = sites_of(trace, prefixes)
    nowhere = sorted({call for call, site in found if not site or "??" in site})
    run.equal(nowhere, [], "calls without a site")
    places = [(call, PLACED.fullmatch(site)) for call, site in found]
    inside = [(call, int(place[2], 16)) for call, place in places
              if place and module and place[1] == os.path.basename(module)]
    if module:
        code = Code(module)
        right = [call for call, address in inside if code.called(address).lower().rstrip("_") == call.lower()]
        print(f"  {len(right)} of {len(inside)} sites in {module} call what they say")
        run.expect(inside and 4 * len(right) >= 3 * len(inside), f"calls at these places: {inside}")
    if library:
        said = subprocess.run(["nm", "-DC", "--defined-only", library], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        known = {line.split(maxsplit=2)[2] for line in said.splitlines() if len(line.split(maxsplit=2)) == 3}
        named = {site for _, site in found if not PLACED.fullmatch(site)}
        print(f"  {len(named & known)} of {len(named)} functions are of {library}")
        run.expect(4 * len(named & known) >= 3 * len(named) > 0, f"functions: {sorted(named - known)}")
