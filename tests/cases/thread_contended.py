# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PTHREAD: by default locks are counted as long as nobody waits for them. Whatever it
is, the report says how long threads waited for the lock, as the program has measured it.
"""

import re

of = "wrappers/pthread"
NS = 1e-9


def recorded(run, mode):
    env = {} if mode == "default" else {"SPUR_PTHREAD": mode}
    words = run.command(["{programs}/thread_contended"])
    result, place = run.record(mode, words, {**env, "SPUR_WRAP": "pthread"})
    run.spur_check(place, False)
    truth = {name: int(value) for name, value in map(str.split, result.stdout.splitlines())}
    got = run.report(place)
    said = run.says("print", "-G", place)
    return truth, got, len(re.findall(r'LOCATION_GROUP_PROPERTY.*"LOCKS"', said))


def main(run):
    modes = (("default", None, 0), ("auto", None, 0), ("all", None, 0), ("contended", 0, 2))
    for mode, taken, marked in modes:
        truth, got, properties = recorded(run, mode)
        locks = [row for row in got["sections"]["locks"] if row["contended"]]
        print(f"  {mode}: {truth} {locks}")
        run.equal(properties, marked, f"{mode}: processes that say LOCKS")
        run.equal(len(locks), 2, f"{mode}: locks that were waited for, in both processes")
        locks.sort(key=lambda row: -row["acquisitions"] - row["counted"])
        for row, name in zip(locks, ("wait", "child")):
            wait = truth[name] * NS
            run.expect(abs(row["waiting"] - wait) < 0.02 + 0.1 * wait, f"{mode}: {name} {wait}, got {row}")
            run.equal(row["contended"], 1, f"{mode}: waits of {name}")
        most = max(row["acquisitions"] + row["counted"] for row in locks)
        want = truth["rounds"] if taken is None else taken
        run.expect(want <= most <= want + 3, f"{mode}: {want} acquisitions, got {most}")
        run.expect([one for one in got["findings"] if one["kind"] == "lock"], f"{mode}: {got['findings']}")
        remarks = [text for text in got["remarks"] if "only locks that a thread had to wait" in text]
        run.equal(len(remarks), 1 if marked else 0, f"{mode}: remarks {got['remarks']}")
