# SPDX-License-Identifier: BSD-3-Clause
"""Programs by the names that pages use: spur, mpirun and python3."""

import os


def stand_ins(folder, spur):
    """Makes them in a folder. Returns the PATH in which they are first."""
    os.makedirs(folder, exist_ok=True)
    for name, target in (("spur", spur), ("mpirun", "mpirun.openmpi"), ("python3", "/usr/bin/python3")):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {target} "$@"\n')
        os.chmod(path, 0o755)
    return f"{folder}:{os.environ['PATH']}"
