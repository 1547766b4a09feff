# SPDX-License-Identifier: BSD-3-Clause
"""ffmpeg makes a second of video with x264 on two threads and decodes it on two threads."""

import hashlib
import os

of = "wrappers/pthread"
FFMPEG = "ffmpeg -nostdin -hide_banner -loglevel error"
command = ["sh", "-e", "video.sh"]
env = {"SPUR_WRAP": "pthread", "SPUR_PTHREAD": "all"}  # not the shell around them
files = {"video.sh": f"""
{FFMPEG} -f lavfi -i testsrc2=size=320x240:rate=25:duration=1 -threads 2 \\
    -c:v libx264 -preset ultrafast -bitexact video.mkv
{FFMPEG} -threads 2 -i video.mkv -f framemd5 -bitexact -
"""}


def output(folder):
    with open(os.path.join(folder, "video.mkv"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check(trace, run):
    frames = [line for line in run.plain.stdout.splitlines() if not line.startswith("#")]
    run.equal(len(frames), 25, "frames")
    run.equal(trace.processes(), [0, 1], "processes, which are the two of ffmpeg")
    run.equal(len(trace.streams_of("ffmpeg")), len(trace.streams), "locations of theirs")
    kinds, regions = trace.kinds(), trace.regions()
    # Each has two threads for the codec, and some for filters and input.
    run.expect(kinds["ThreadCreate"] >= 4, "threads")
    for kind, region in (("ThreadCreate", "pthread_create"), ("ThreadWait", "pthread_join")):
        run.equal(kinds[kind], regions[region], kind)
    run.equal(kinds["ThreadEnd"], kinds["ThreadCreate"], "threads that have ended")
    waits = regions["pthread_cond_wait"]
    run.expect(waits > 0, "waiting for frames")
    run.equal(kinds["ThreadAcquireLock"], regions["pthread_mutex_lock"] + waits, "locks taken")
    run.equal(kinds["ThreadReleaseLock"], regions["pthread_mutex_unlock"] + waits, "given back")
