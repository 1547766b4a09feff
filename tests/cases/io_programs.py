# SPDX-License-Identifier: BSD-3-Clause
"""
Real programs with their files recorded: what they print and the files that they leave are those of the
untraced run. The archives are true, and explain the bytes of files whose size is known.
"""

import glob
import json
import os

import io_events
import matrix

of = "wrappers/io"
SETTINGS = {"SPUR_IO": "posix", "SPUR_WRAP": "io,process"}
INPUT = """
i=0
while [ $i -lt 500 ]; do echo "line $i of a file that programs read"; i=$((i + 1)); done >in
"""
DD = """
head -c 100000 /dev/zero >zeros
dd if=zeros of=copy bs=1000 status=none
cmp zeros copy
"""
TAR = """
mkdir d x; cp in d/a; cp in d/b
tar --mtime=@0 --sort=name --owner=0 --group=0 -cf d.tar d
tar -C x -xf d.tar
cmp x/d/a in; tar -tf d.tar
"""
SQLITE = """
sqlite3 base 'create table t(a, b); begin; insert into t values (1, 2); commit;
              insert into t select a + 1, b from t; select * from t;'
sqlite3 base 'select count(*) from t'
"""
GIT = """
git init -q r; cd r; echo one >a; git add a
git -c user.name=n -c user.email=e commit -q -m m
echo two >>a; git diff; git status --short; git log --format=%s; cat .git/HEAD
"""
PYTHON = """
/usr/bin/python3 -B -c 'import os, shutil, tempfile
text = open("in").read()
open("out", "w").write(text * 2)
shutil.copyfile("out", "again")
file = tempfile.TemporaryFile(dir=".")
file.write(b"x")
r, w = os.pipe()
os.write(w, b"y")
print(os.read(r, 1), len(text))
os.rename("again", "renamed")
os.unlink("out")'
"""
NODE = """
node -e 'const fs = require("fs");
fs.writeFileSync("out", fs.readFileSync("in"));
fs.readFile("out", (e, d) => console.log(d.length));'
"""
SHELL = """
exec 7<in 8>&1 9>numbers
while read -r line <&7; do echo x >&9; done
exec 9>&-
wc -l <numbers
(exec 7<&-; echo inside >deeper); cat deeper >&8
sort -r in >sorted; head -n 1 sorted
echo a >>more; echo b >>more; cat more
! cat missing 2>error
exec 1>&-
echo lost 2>/dev/null || :
"""
STREAMS = """
sqlite3 base 'create table t(a, b); insert into t values (1, 2), (3, 4);'
sqlite3 base .dump >dump
sort -r in >sorted
sed -n 's/line/row/p' in >edited
"""
RSYNC = """
mkdir d; cp in d/a; touch -d @1000 d/a; head -c 300000 /dev/zero >d/b
rsync -a d/ copy/
cmp d/a copy/a; cmp d/b copy/b; echo more >>d/a
rsync -a -i --no-whole-file d/ copy/
"""
FIO = """
for job in write randread; do
    for engine in sync psync pvsync; do
        fio --name=$engine --rw=$job --ioengine=$engine --bs=4k --size=200k --zero_buffers \\
            --filename=$engine.file --output-format=json --output=$engine.$job.json
    done
done
"""
MELT = """
units lj
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
dump text all atom 10 dump.text
dump raw all custom 10 dump.raw id x y z
dump_modify text sort id
"""
LAMMPS = f"""
cat >in.melt <<END
{MELT}run 50
write_restart restart
END
lmp -in in.melt -log none -screen none
"""
# These by their streams.
STREAM_SETTINGS = {**SETTINGS, "SPUR_IO": "isoc"}
WRITTEN = {"streams": ("dump", "sorted", "edited"), "lammps": ("dump.text", "dump.raw", "restart")}
BY_STREAMS = {"streams": INPUT + STREAMS, "lammps": LAMMPS}
SCRIPTS = {**BY_STREAMS, "rsync": INPUT + RSYNC, "fio": FIO, "dd": DD,
           "tar": INPUT + TAR, "sqlite": SQLITE, "git": GIT, "python": INPUT + PYTHON, "node": INPUT + NODE,
           "shell": INPUT + SHELL}


def output(folder):
    """Indexes and reports hold times and numbers of inodes; the rest is compared."""
    return {name: data for name, data in matrix.contents(folder).items()
            if ".git/" not in name and not name.endswith(".json")}


def counted_by_fio(folder):
    """{file: (bytes read, bytes written)} as fio says itself."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*.json")):
        with open(path, encoding="utf-8") as file:
            job = json.load(file)["jobs"][0]
        name = job["jobname"] + ".file"
        read, written = found.get(name, (0, 0))
        found[name] = read + job["read"]["io_bytes"], written + job["write"]["io_bytes"]
    return found


def sizes_of(folder, *names):
    return {name: os.path.getsize(os.path.join(folder, name)) for name in names}


def main(run):
    for label, script in SCRIPTS.items():
        for cell in matrix.cells(run, label, ["/bin/sh", "-ec", script], ways=["launcher"],
                                 settings=STREAM_SETTINGS if label in BY_STREAMS else SETTINGS,
                                 unfinished=False):
            run.equal(cell.traced.status, 0, f"{label} succeeds: {cell.traced.stderr}")
            sums = io_events.sums(cell.trace(run, False))
            folder = os.path.join(run.scratch, cell.folder)
            if label == "dd":
                run.equal(sums["copy"], (100000, 100000), "dd and cmp: bytes of the copy")
            elif label == "tar":
                size = os.path.getsize(os.path.join(folder, "d.tar"))
                run.equal(sums["d.tar"][1], size, "tar: bytes of the archive")
            elif label in WRITTEN:
                sizes = sizes_of(folder, *WRITTEN[label])
                run.equal({name: sums[name][1] for name in sizes}, sizes, f"{label}: bytes written")
            elif label == "fio":
                told = counted_by_fio(folder)
                run.equal(sorted(told), ["psync.file", "pvsync.file", "sync.file"], "fio: jobs")
                run.equal({name: sums[name] for name in told}, told, "fio: bytes that it counts")
            elif label == "rsync":
                # Under another name first. The second time only the end of `a` is new.
                written = sorted(done for name, (_, done) in sums.items() if name.startswith("."))
                sizes = sizes_of(folder, "in", "copy/a", "copy/b").values()
                run.equal(written, sorted(sizes), "rsync: bytes of the copies")
            elif label == "shell":
                run.equal(sums["numbers"], (2 * 500, 2 * 500), "shell: bytes of a redirection")
            elif label == "node":
                size = os.path.getsize(os.path.join(folder, "in"))
                run.equal(sums["out"], (size, size), "node: bytes read and written")
