# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of an archive, for comparisons of two."""

import hashlib
import os

# At the end of an anchor file: a number that is drawn for each archive, then two counts and three marks.
TRACE_ID, BEHIND_ID = 8, 4 + 4 + 3


def archive_bytes(archive):
    """A digest by the path of each file; without the number that each archive draws for itself."""
    found = {}
    for folder, _, names in os.walk(archive):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if name == "traces.otf2":
                data = data[:-TRACE_ID - BEHIND_ID] + data[-BEHIND_ID:]
            found[os.path.relpath(os.path.join(folder, name), archive)] = hashlib.sha256(data).hexdigest()
    return found
