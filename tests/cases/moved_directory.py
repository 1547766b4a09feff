# SPDX-License-Identifier: BSD-3-Clause
"""
The directory gets another name while it is recorded into: nothing is lost, the archive is made there
and a line says so, whoever finishes it. Where it is removed, a line says that.
"""

import os
import re

of = "agent/state finish"
HOWS = ("renamed", "replaced", "killed", "removed")
EVENTS = 3 * 10000 * 6  # of locks
# How it is started, and who finishes the archive.
FORMS = ("launcher", "preload", "rank")
# Files are opened before the end, or not.
SETTINGS = ({"SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all"}, {"SPUR_BUFFER": "64M", "SPUR_PTHREAD": "all"})


def record(run, how, form, settings):
    """The run, its directory before and after."""
    label = f"{how}.{form}.{settings['SPUR_BUFFER']}"
    folder = os.path.join(run.scratch, label + ".dir")
    moved = folder + ".moved"
    words = run.command(["{programs}/thread_moves", folder, moved, how])
    plain = run.execute(words, label + ".plain")
    if how == "replaced":
        os.rmdir(folder)
    env = dict(settings)
    if form == "launcher":
        words = [run.spur, "-o", folder] + words + ["parent"]
    elif form == "preload":
        words = run.preloading() + words
        env["SPUR_DIR"] = folder
    else:
        words = [run.spur, "-o", folder] + words
        env.update({"PMI_RANK": "0", "PMI_SIZE": "1"})
    result = run.execute(words, label, env)
    run.same(result, plain)
    return result, folder, moved


def has_line(run, result, text):
    run.equal(len([line for line in result.spur if text in line]), 1, f"'{text}' in {result.spur}")


def main(run):
    for settings in SETTINGS:
        for form in FORMS:
            for how in HOWS:
                result, folder, moved = record(run, how, form, settings)
                run.expect(not any("nothing was recorded" in line for line in result.spur),
                           f"what was seen: {result.spur}")
                if how == "removed":
                    run.equal(len(result.spur), 1, f"lines: {result.spur}")
                    has_line(run, result, f"{folder} was removed")
                    run.expect(not os.path.exists(folder), "nothing made in its place")
                    continue
                if how == "killed" and form != "launcher":
                    run.execute([run.spur, "recover", moved], "recover")
                else:
                    run.equal(len(result.spur), 2, f"lines: {result.spur}")
                    has_line(run, result, f"{folder} was renamed to {moved}")
                    has_line(run, result, f"{moved}/traces.otf2")
                said = run.spur_check(moved, how == "killed")
                events = int(re.search(r"in (\d+) events", said).group(1))
                run.expect(EVENTS < events < EVENTS + 200, f"all that was recorded: {said}")
                run.equal(os.listdir(folder) if how == "replaced" else os.path.exists(folder),
                          [] if how == "replaced" else False, "what has its name now")
    children(run)


# What a shell, and a child without a program of its own, start afterwards is of the same session.
# {holder}: that it waits for before.
SHELL = "{program}; {moves} {dir} {dir}.moved renamed {holder}; {program}; {program}"
FORK = """
import os, threading
def record():
    thread = threading.Thread(target=id, args=(1,))
    thread.start()
    thread.join()
record()
os.system("{moves} {dir} {dir}.moved renamed {holder}")
if os.fork() == 0:
    record()
    os._exit(os.system("{program}"))
os.wait()
os.system("{program}")
"""


def children(run):
    program, moves = (run.command(["{programs}/" + name])[0]
                      for name in ("thread_names", "thread_moves"))
    for name, script, words in (("shell", SHELL, ["sh", "-c"]),
                                ("fork", FORK, ["/usr/bin/python3", "-c"])):
        made = set()
        for form in ("launcher", "preload"):
            folder = os.path.join(run.scratch, f"{name}.{form}.dir")

            def filled(holder):
                return words + [script.format(dir=folder, program=program, moves=moves,
                                              holder=holder)]
            plain = run.execute(filled(""), f"{name}.plain")
            holder = {"preload": "", "launcher": {"shell": "$PPID", "fork": "%d"}[name]}[form]
            then = filled(holder)
            if "%d" in holder:
                then[-1] = then[-1].replace('%d")', '%d" % os.getppid())')
            start = [run.spur, "-o", folder] if form == "launcher" else run.preloading()
            result = run.execute(start + then, f"{name}.{form}",
                                 {"SPUR_DIR": folder, "SPUR_WRAP": "pthread,process"})
            run.same(result, plain)
            run.expect(not os.path.exists(folder), "one archive")
            run.spur_check(folder + ".moved", False)
            made.add(result.spur[-1].split("(")[0].split(" process")[0])
            run.equal(len(result.spur), 2, f"lines: {result.spur}")
        run.equal(len(made), 1, f"processes in both: {made}")
