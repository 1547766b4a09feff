# SPDX-License-Identifier: BSD-3-Clause
"""
Programs that run as another user than the session, who may not write to its directory: one line, at
the end, says how many and who was the first, and what it advises works.
"""

import os

of = "agent/state"
NOBODY = 65534
BECOME = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups"
FORKED = f"""
import os
os.setgid({NOBODY})
os.setuid({NOBODY})
for _ in range(2):
    child = os.fork()
    if not child:
        os._exit(os.system('id -u'))
    os.waitpid(child, 0)
"""
# What is run, the first program that is left out, and how many are besides what these start.
SCRIPTS = {
    "setpriv": (f"for i in 1 2 3; do {BECOME} id -u; done; {BECOME} sh -c 'id -u; id -u'", "id", 4),
    "su": ("su -s /bin/sh nobody -c 'id -u; id -u'", "sh", 1),
    "children": (f"/usr/bin/python3 -c \"{FORKED}\"", "python3", 2),
}
FORMS = ("outer", "preload")


def record(run, name, script, form):
    archive = os.path.join(run.scratch, f"{name}.{form}.archive")
    words = [run.spur, "-o", archive] if form == "outer" else run.preloading()
    env = {} if form == "outer" else {"SPUR_DIR": archive, "SPUR_WRAP": "pthread,process"}
    return run.execute(words + ["sh", "-c", script], f"{name}.{form}", env), archive


def main(run):
    run.equal(os.getuid(), 0, "user id: the test becomes another user, so it needs")
    for name, (script, first, programs) in SCRIPTS.items():
        plain = run.execute(["sh", "-c", script], f"{name}.plain")
        run.equal(plain.stderr, "", f"{name} without spur")
        for form in FORMS:
            result, archive = record(run, name, script, form)
            run.same(result, plain)
            run.equal(len(result.spur), 1, f"lines of {name}, {form}: {result.spur}")
            plural = "s" if programs > 1 else ""
            for part in (f"; {programs} program{plural} left out, since user {NOBODY} may not write",
                         f"(the first: {first}, pid ", "'spur -o ANOTHER_DIR'"):
                run.expect(part in result.spur[0], f"{part} in {result.spur[0]}")
            run.spur_check(archive, False)

    place = os.path.join(run.scratch, "place")
    os.mkdir(place)
    os.chown(place, NOBODY, NOBODY)
    other = os.path.join(place, "other")
    result, archive = record(run, "advice", f"{BECOME} {run.spur} -o {other} sh -c 'id -u; id -u'",
                             "outer")
    run.equal(result.stdout, f"{NOBODY}\n{NOBODY}\n", "what it prints")
    run.spur_check(archive, False)
    run.spur_check(other, False)
    run.expect(any("3 processes" in line for line in result.spur), f"the three in {result.spur}")
