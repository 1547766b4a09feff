# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PYTHON: programs in C with an interpreter in them, that import modules and call their functions, on a
thread of C too: linked with it, loading its library for themselves alone, loading one that it is linked with,
one interpreter after another. gdb and LAMMPS run scripts. The scripts count their calls. The program may
unload the library. TEST_PYTHON=/path/to/python3 is another interpreter, with a shared library.
"""

import collections
import json
import os
import subprocess

from python_way import HAS_MONITORING, PYTHON, TAKES, WAYS

of = "wrappers/python"
# embeds LIBRARY BEGINNINGS [gone]
EMBEDS = '''
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void (*begin)(int);
static int (*end)(void);
static void *(*import)(const char *);
static void *(*call)(void *, const char *, const char *, ...);
static void (*drop)(void *);
static void *(*save)(void);
static void (*restore)(void *);
static int (*ensure)(void);
static void (*release)(int);
static void *module;

static void find(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        abort();
    memcpy(to, &symbol, sizeof symbol);
}

static void find_all(void *library)
{
    find(library, "Py_InitializeEx", &begin);
    find(library, "Py_FinalizeEx", &end);
    find(library, "PyImport_ImportModule", &import);
    find(library, "PyObject_CallMethod", &call);
    find(library, "Py_DecRef", &drop);
    find(library, "PyEval_SaveThread", &save);
    find(library, "PyEval_RestoreThread", &restore);
    find(library, "PyGILState_Ensure", &ensure);
    find(library, "PyGILState_Release", &release);
}

static void call_it(const char *name, int n)
{
    void *result = call(module, name, "i", n);
    if (!result)
        abort();
    drop(result);
}

static void *work(void *arg)
{
    int state = ensure();
    call_it("on_thread", 3);
    release(state);
    return arg;
}

static void spend(clock_t time)
{
    for (clock_t until = clock() + time; clock() < until;)
        ;
}

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1][0] ? argv[1] : NULL, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return puts(dlerror());
    find_all(library);
    for (int i = 0; i < atoi(argv[2]); i++) {
        begin(0);
        module = import("counted");
        for (int n = 0; n < 5; n++)
            call_it("called", n);
        void *state = save();
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
            return 3;
        restore(state);
        drop(module);
        if (end())
            return 4;
    }
    if (argc > 3) {
        while (dlclose(library) == 0 && dlsym(RTLD_DEFAULT, "never") == NULL && --argc > 3)
            ;
        spend(CLOCKS_PER_SEC / 20);
    }
    return 0;
}
'''
COUNTED = '''
import atexit
import collections

counts = collections.Counter()


def inner():
    counts["inner"] += 1


def raises(n):
    counts["raises"] += 1
    if n == 0:
        raise KeyError(n)
    raises(n - 1)


def called(n):
    counts["called"] += 1
    inner()
    sorted([1, 2], key=by_c)
    try:
        raises(n)
    except KeyError:
        inner()


def by_c(n):
    counts["by_c"] += 1
    return n


def on_thread(n):
    """A profile function has a thread that C made from the moment when it tells of something."""
    open("/dev/null").close()
    for _ in range(n):
        inner()
        called(n)


@atexit.register
def say():
    with open("said", "a") as file:
        for name, n in counts.items():
            print(name, n, file=file)
'''
LAMMPS = '''
variable x equal 3
variable y python called
python called input 1 v_x return v_y format ff here """
import counted

def called(n):
    counted.called(int(n))
    return n
"""
print "$y"
print "$y"
'''
ANY = "int nothing(void);\nint nothing(void)\n{\n    return 0;\n}\n"
ASKS = ("import os, sys, sysconfig; get = sysconfig.get_config_var; "
        "print(get('LIBDIR'), get('MULTIARCH') or '', get('INSTSONAME'), sys.base_prefix)")
FILTER = """SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */lib/python3*
  EXCLUDE <frozen*
SCOREP_FILE_NAMES_END
"""
files = {"counted.py": COUNTED, "called.lammps": LAMMPS, "filter": FILTER}


class Embedded:
    def __init__(self, run):
        self.run = run
        self.env = {"SPUR_WRAP": "python", "SPUR_FILTER": "filter", "PYTHONPATH": "."}
        os.makedirs(os.path.join(run.scratch, "takes"))
        for name, text in TAKES.items():
            with open(os.path.join(run.scratch, "takes", name), "w", encoding="utf-8") as file:
                file.write(text)
        folder, more, name, home = subprocess.run([PYTHON, "-c", ASKS], stdout=subprocess.PIPE,
                                                  check=True).stdout.decode().split(" ")
        places = (os.path.join(folder, *inner, name) for inner in ((more,), ()))
        self.library = next(place for place in places if os.path.exists(place))
        if home.strip() != "/usr":
            self.env["PYTHONHOME"] = home.strip()
        self.program = self.built("embeds", EMBEDS)
        self.linked = self.built("linked", EMBEDS, self.library)
        self.between = self.built("between.so", ANY, "-shared", "-fPIC", self.library)

    def built(self, name, source, *options):
        path = os.path.join(self.run.scratch, name)
        done = subprocess.run(["cc", "-x", "c", "-", "-x", "none", "-o", path, "-Wl,--no-as-needed", *options,
                               "-Wl,-rpath," + os.path.dirname(self.library)],
                              input=source.encode(), check=False)
        self.run.equal(done.returncode, 0, f"status of the compiler, {name}")
        return path

    def trace(self, label, *words, env=None):
        """Its archive; what the scripts say."""
        run = self.run
        result, archive = run.record(label, ["--python", *words], {**self.env, **(env or {})})
        run.equal(result.spur[:-1], [], f"{label}: what spur says")
        said = collections.Counter()
        with open(os.path.join(run.scratch, f"{label}.run", "said"), encoding="utf-8") as file:
            for line in file:
                said[line.split()[0]] += int(line.split()[1])
        return run.judge(archive), said

    def same(self, label, *words, env=None, more=None):
        trace, said = self.trace(label, *words, env=env)
        self.run.expect(said["called"] > 0, f"{label}: that it says something")
        said.update(more or {})
        regions = trace.regions()
        self.run.equal({name: regions.get(name, 0) for name in said}, dict(said), f"{label}: calls")
        return trace


def main(run):
    embedded = Embedded(run)
    for way, env in WAYS.items():
        # With a profile function the first function of the thread has begun before.
        more = {"on_thread": 2 if way == "monitoring" else 0}
        half = {name: n // 2 for name, n in more.items()}
        env = {"PYTHONPATH": ".:" + os.path.join(run.scratch, "takes")} if HAS_MONITORING and env else {}
        embedded.same(f"{way}.linked", embedded.linked, "", "1", env=env, more=half)
        embedded.same(f"{way}.loaded", embedded.program, embedded.library, "2", env=env, more=more)
        embedded.same(f"{way}.between", embedded.program, embedded.between, "1", env=env, more=half)
    gone(run, embedded)
    if "PYTHONHOME" not in embedded.env:
        embedded.same("gdb", "gdb", "-batch", "-nx", "-ex",
                      "python import counted; [counted.called(n) for n in range(9)]")
        embedded.same("lammps", "lmp", "-log", "none", "-screen", "none", "-in", "called.lammps")


def gone(run, embedded):
    """Unloaded, with samples before and after: those after have no function of Python."""
    env = {"SPUR_SAMPLE": "2000", "SPUR_WRAP": "pthread", "SPUR_PTHREAD": "lifetime"}
    trace, _ = embedded.trace("gone", embedded.program, embedded.library, "1", "gone", env=env)
    rows = run.report(os.path.join(run.scratch, "gone.archive"))["sections"]
    run.expect("spend" in json.dumps(rows), "samples after the end of the interpreter")
