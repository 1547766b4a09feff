# SPDX-License-Identifier: BSD-3-Clause
"""
Real programs under strace: they print and leave what they do without spur, and every byte that the kernel
moves from or to one of their files is in the archive of the same run.
"""

import kernel_bytes
import matrix

of = "wrappers/io"
SETTINGS = {"SPUR_IO": "posix,isoc", "SPUR_WRAP": "io,process"}
NETCDF = """
cat >text.cdl <<END
netcdf text {{
dimensions: x = 1000 ;
variables: int line(x) ; double other(x) ;
data: line = 5 ; other = 1, 2, 3 ;
}}
END
ncgen -k classic -o classic.nc text.cdl
ncgen -k nc4 -o new.nc text.cdl
ncdump classic.nc >classic.text
ncdump new.nc | tail -n 1
nccopy -k nc4 -d 1 classic.nc packed.nc
nccopy -k 64-bit-offset new.nc wide.nc
ncdump -h packed.nc
h5dump -d line new.nc >h5.text
"""
TAR = """
mkdir d; seq 1 5000 >d/a; head -c 200000 /dev/zero >d/b
tar --mtime=@0 --sort=name --owner=0 --group=0 -cf d.tar d
mkdir x; tar -C x -xf d.tar
gzip -nk d.tar; gzip -dc d.tar.gz >again; xz -k d.tar; md5sum d.tar again x/d/*
"""
SQLITE = """
sqlite3 base 'create table t(a, b); begin; insert into t values (1, 2); commit;
              insert into t select a + 1, b from t; select * from t;'
sqlite3 base .dump >dump; sqlite3 copy <dump; sort -r dump >sorted; sed -n s/INS/ins/p sorted >edited
"""
GIT = """
git init -q r; cd r; seq 1 1000 >a; git add a
git -c user.name=n -c user.email=e commit -q -m m
echo two >>a; git diff; git status --short; git log --format=%s
"""
PYTHON = """
seq 1 1000 >in
/usr/bin/python3 -B -c 'import os, shutil, tempfile
text = open("in").read()
open("out", "w").write(text * 2)
shutil.copyfile("out", "again")
file = tempfile.TemporaryFile(dir=".")
file.write(b"x")
fd = os.open("again", os.O_RDWR)
print(len(os.pread(fd, 50, 100)), os.writev(fd, [b"ab", b"cd"]), os.preadv(fd, [bytearray(9)], 3))
os.rename("again", "renamed")
os.unlink("out")'
"""
NODE = """
seq 1 20000 >in
node -e 'const fs = require("fs");
fs.writeFileSync("out", fs.readFileSync("in"));
fs.createReadStream("in").pipe(fs.createWriteStream("copy")).on("finish", () =>
    fs.promises.readFile("copy").then(data => console.log(data.length)));'
"""
JAVA = """
keytool -genseckey -alias a -keyalg AES -keysize 128 -keystore keys -storepass changeit
keytool -list -keystore keys -storepass changeit | head -n 3
"""
RSYNC = """
mkdir d; seq 1 3000 >d/a; touch -d @1000 d/a; head -c 300000 /dev/zero >d/b
rsync -a d/ copy/
echo more >>d/a
rsync -a -i --no-whole-file d/ copy/
"""
SCRIPTS = {"fortran": "{programs}/serial_fortran", "netcdf": NETCDF, "tar": TAR, "sqlite": SQLITE, "git": GIT,
           "python": PYTHON, "node": NODE, "java": JAVA, "rsync": RSYNC}
LEAST = 300  # bytes that each of them writes
# Folders and files that differ from run to run, since there are times or salts in them.
CHANGING = {"java": "keys", "git": "r/.git/"}


def left(label):
    """Of a folder what does not differ from run to run."""
    changing = CHANGING.get(label, "/")
    return lambda folder: {name: data for name, data in matrix.contents(folder).items()
                           if not name.startswith(changing)}


def main(run):
    for label, script in SCRIPTS.items():
        words = run.command(["/bin/sh", "-ec", script])
        _, _, written = kernel_bytes.watch(run, label, words, left(label), SETTINGS)
        run.expect(written > LEAST, f"{label} writes")
