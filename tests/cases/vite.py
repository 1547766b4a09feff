# SPDX-License-Identifier: BSD-3-Clause
"""
ViTE opens an archive and draws it. One without messages: ViTE 1.2 finds ranks only in communicators
whose group is COMM_LOCATIONS, which OTF2 does not allow, and crashes on every other message.
"""

import os

of = "include/otf2"
command = ["{programs}/collectives{mpi}"]
ranks = 4


def check(trace, run):
    picture = os.path.join(run.scratch, "picture.svg")
    result = run.execute(run.command(["vite", trace.archive.path, "-e", picture]), "vite",
                         {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": run.scratch})
    run.equal(result.status, 0, "exit status of ViTE")
    run.expect(os.path.getsize(picture) > 1000, "a picture")
    run.expect("0 errors and 0 warnings" in result.stdout + result.stderr, "no complaint of ViTE")
