# SPDX-License-Identifier: BSD-3-Clause
"""git clone of a local repository, by the protocol: upload-pack, index-pack and their like."""

import os
import subprocess

import process_tree

of = "wrappers/process"
command = ["git", "-c", "protocol.file.allow=always", "clone", "-q", "file://{scratch}/origin", "copy"]
env = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}


def make_origin(run):
    origin = os.path.join(run.scratch, "origin")
    os.makedirs(origin)
    with open(os.path.join(origin, "text"), "w", encoding="utf-8") as file:
        file.write("text\n" * 1000)
    for words in (["init", "-q"], ["add", "text"],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "text"]):
        subprocess.run(["git"] + words, cwd=origin, env=run.environment(), check=True)


def main(run):
    make_origin(run)
    run.all_forms()


def check(trace, run):
    process_tree.expect_all(run, trace, run.command())
    lines = [group.properties["COMMAND_LINE"] for group in process_tree.groups(trace)]
    for word in ("upload-pack", "index-pack"):
        run.expect(any(word in line for line in lines), f"{word} in {lines}")
