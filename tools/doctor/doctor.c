/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-doctor [-p LIBRARY] PROGRAM: the traced parts of PROGRAM, the parts that cannot be traced,
 * and the remedy. One line per fact; status 0 if PROGRAM will be traced, 1 if not, 2 for wrong use.
 * Nothing of the program is executed: the system's own loader lists the libraries.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/glibc.h"
#include "settings/config.h"
#include "settings/selection.h"
#include "tools/base/elf_file.h"
#include "tools/base/options.h"
#include "tools/base/program.h"
#include "tools/doctor/doctor_machine.h"

enum { PATH_BYTES = PROGRAM_PATH_BYTES, LIBRARIES = 512 };

struct library {
    char *name;
    char *path; /* NULL: not found by the loader */
};

struct patient {
    char path[PATH_BYTES];
    const char *agent; /* path of libspur.so, NULL if unknown */
    struct elf_file elf;
    struct library libraries[LIBRARIES];
    size_t count;
    int problems;
};

static struct patient patient;

static void fact(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(const char *what, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fact(const char *what, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("  ok       %-10s ", what);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

/* Reports a problem that keeps the program, or a part of the program, from being traced. */
static void problem(const char *what, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("  PROBLEM  %-10s ", what);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    patient.problems++;
}

/* ---- the file of the program ---- */

/*
 * Returns 1 for a script, with the interpreter in `path`, 0 for a file that is no script, -1 for a
 * script without its interpreter.
 */
static int follow_script(char *path)
{
    char interpreter[PROGRAM_PATH_BYTES];
    int more = program_follow_script(path, interpreter);

    if (more < 0)
        problem("script", "its interpreter %s is not found; install it", interpreter);
    else if (more > 0)
        fact("script", "run by %s: spur traces that program", path);
    return more;
}

static bool open_program(const char *name)
{
    static const char no_program[] =
        "%s is neither an ELF program nor a script; name the program itself";
    struct stat status;
    int error;
    if (!program_find(name, patient.path)) {
        problem("program", "%s is not found; give its path, or a name that is in PATH", name);
        return false;
    }
    if (stat(patient.path, &status) == 0 && S_ISDIR(status.st_mode)) {
        problem("program", "%s is a directory; name the program in it", patient.path);
        return false;
    }
    if (!program_is_one(patient.path)) {
        problem("program", no_program, patient.path);
        return false;
    }
    if (access(patient.path, X_OK) != 0) {
        problem("program", "%s is not executable; chmod +x it", patient.path);
        return false;
    }
    for (int i = 0, more = 1; i < PROGRAM_SCRIPT_DEPTH && more == 1; i++) {
        more = follow_script(patient.path);
        if (more < 0)
            return false;
    }
    error = elf_open(&patient.elf, patient.path);
    if (error == -ENOEXEC)
        problem("program", no_program, patient.path);
    else if (error != 0)
        problem("program", "%s cannot be read: %s; its owner can run 'spur doctor'", patient.path,
                strerror(-error));
    return error == 0;
}

/* ---- whether a library can be loaded into the program ---- */

static bool is_loadable(char *interpreter)
{
    if (!patient.elf.is_native) {
        problem("program",
                "%s is for another machine (ELF machine %u, %s bit); build spur for it too",
                patient.path, patient.elf.machine,
                patient.elf.header.e_ident[EI_CLASS] == ELFCLASS64 ? "64" : "32");
        return false;
    }
    if (spur_is_loader(patient.path)) {
        problem("program", "%s loads the program that is its argument; ask about that one",
                patient.path);
        return false;
    }
    if (!elf_interpreter(&patient.elf, interpreter, PATH_BYTES)) {
        problem("program",
                "%s is statically linked: nothing can be loaded into it; link it without -static",
                patient.path);
        return false;
    }
    const char *foreign = program_loader_is_foreign(interpreter, patient.agent);
    if (foreign) {
        problem("program", "%s %s", patient.path, foreign);
        return false;
    }
    if (access(interpreter, X_OK) != 0) {
        problem("program", "its loader %s does not exist, it cannot run; install it", interpreter);
        return false;
    }
    fact("program", "%s: native, dynamically linked", patient.path);
    return true;
}

/* The loader ignores preloads of a program that gains rights by being executed. */
static void check_rights(void)
{
    const char *remedy = "ignores preloaded libraries; trace a copy without it (cp PROGRAM .)";

    switch (program_rights(patient.path)) {
    case PROGRAM_SETUID:
        problem("rights", "setuid: it %s", remedy);
        break;
    case PROGRAM_SETGID:
        problem("rights", "setgid: it %s", remedy);
        break;
    case PROGRAM_CAPABLE:
        problem("rights", "file capabilities: it %s", remedy);
        break;
    case PROGRAM_SET_NOT_FOR_US:
        fact("rights", "setuid or setgid, which changes nothing for you; for other users it %s",
             remedy);
        break;
    case PROGRAM_CAPABLE_NOT_FOR_US:
        fact("rights", "file capabilities, which change nothing for root; for other users it %s",
             remedy);
        break;
    case PROGRAM_ORDINARY:
        break;
    }
}

/* ---- linked libraries ---- */

/*
 * Takes a line of the loader: "\tNAME => PATH (0x...)", "\tNAME => not found" or "\tPATH (0x...)".
 */
static void add_library(char *line)
{
    char *name = line + strspn(line, " \t");
    char *arrow = strstr(name, " => ");
    char *path = arrow ? arrow + 4 : name;
    char *end = strstr(path, " (0x");
    struct library *library = &patient.libraries[patient.count];

    if (patient.count == LIBRARIES || name[0] == '\0')
        return;
    if (!end && !strstr(path, "not found"))
        return;
    if (end)
        *end = '\0';
    if (arrow)
        *arrow = '\0';
    library->name = strdup(strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
    library->path = end && path[0] == '/' ? strdup(path) : NULL;
    patient.count += library->name != NULL;
    if (!end)
        problem("libraries", "%s is not found, so the program cannot start; set LD_LIBRARY_PATH",
                library->name);
}

/* Executes the loader in its listing mode with the agent preloaded; reads the list. */
static void list_libraries(const char *loader)
{
    char line[PATH_BYTES];
    int ends[2];
    pid_t child;
    FILE *answer;

    fflush(stdout);
    if (pipe(ends) != 0)
        return;
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        if (!freopen("/dev/null", "w", stderr))
            _exit(126);
        if (patient.agent)
            setenv("LD_PRELOAD", patient.agent, 1);
        else
            unsetenv("LD_PRELOAD");
        execl(loader, loader, "--list", patient.path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    answer = fdopen(ends[0], "r");
    while (answer && child > 0 && fgets(line, sizeof(line), answer))
        add_library(line);
    if (answer)
        fclose(answer);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* The first listed library whose name begins with a prefix of `prefixes`; NULL without a match. */
static const struct library *find_library(const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        for (size_t i = 0; i < patient.count; i++)
            if (strncmp(patient.libraries[i].name, *prefixes, strlen(*prefixes)) == 0)
                return &patient.libraries[i];
    return NULL;
}

static enum elf_symbol_state symbol_of(const char *path, const char *name)
{
    enum elf_symbol_state state = ELF_SYMBOL_ABSENT;
    struct elf_file file;

    if (!path || elf_open(&file, path) != 0)
        return state;
    if (file.is_native)
        state = elf_symbol(&file, name);
    elf_close(&file);
    return state;
}

static bool is_agent(const struct library *library)
{
    return strcmp(library->name, "libspur.so") == 0;
}

/* The first library but the agent that has `name` in the given state. */
static const struct library *find_symbol(const char *name, enum elf_symbol_state wanted)
{
    for (size_t i = 0; i < patient.count; i++)
        if (!is_agent(&patient.libraries[i]) &&
            symbol_of(patient.libraries[i].path, name) == wanted)
            return &patient.libraries[i];
    return NULL;
}

static void report_agent(void)
{
    bool is_loaded = false;

    for (size_t i = 0; i < patient.count; i++)
        is_loaded = is_loaded || (is_agent(&patient.libraries[i]) && patient.libraries[i].path);
    if (is_loaded)
        fact("agent", "the loader takes %s", patient.agent);
    else if (patient.agent)
        problem("agent", "the loader does not take %s; reinstall spur", patient.agent);
}

static const char *mpi_family(const struct library *library)
{
    if (strncmp(library->name, "libmpi_abi", strlen("libmpi_abi")) == 0)
        return "MPI-5 ABI";
    /* From Open MPI 6 on the symbol lies in libopen_mpi, and this library asks for the symbol. */
    if (symbol_of(library->path, "ompi_mpi_comm_world") != ELF_SYMBOL_ABSENT)
        return "Open MPI";
    if (symbol_of(library->path, "MPIR_Err_create_code") == ELF_SYMBOL_DEFINED)
        return "MPICH family";
    return NULL;
}

static void report_mpi(void)
{
    const struct library *library = find_symbol("MPI_Init", ELF_SYMBOL_DEFINED);

    if (elf_symbol(&patient.elf, "MPI_Init") == ELF_SYMBOL_DEFINED) {
        problem("MPI", "statically linked into the program, so its calls cannot be recorded; link "
                       "the shared library");
    } else if (!library) {
        fact("MPI", "none linked; one that is loaded later (as mpi4py does) is traced too");
    } else if (mpi_family(library)) {
        fact("MPI", "%s, %s: traced", mpi_family(library), library->path);
    } else {
        problem("MPI", "%s is of an unknown family; use MPICH, Open MPI or the MPI-5 ABI",
                library->path);
    }
}

static void report_languages(void)
{
    static const char *const fortran[] = {"libgfortran", "libmpichfort",
                                          "libmpifort",  "libmpi_mpifh",
                                          "libifcore",   "libflang",
                                          "libFortran",  NULL};
    static const char *const openmp[] = {"libgomp", "libomp", "libiomp5", NULL};
    const struct library *found = find_library(fortran);

    if (found)
        fact("Fortran", "%s: MPI calls of mpif.h, use mpi and use mpi_f08 are traced", found->name);
    found = find_library(openmp);
    if (elf_symbol(&patient.elf, "GOMP_parallel") == ELF_SYMBOL_DEFINED)
        problem("OpenMP", "libgomp is statically linked into the program, so its calls cannot be "
                          "recorded; link the shared library");
    else if (found)
        fact("OpenMP", "%s: parallel regions, barriers, tasks and locks are traced",
             found->path ? found->path : found->name);
    else
        fact("OpenMP", "none linked");
    if (elf_symbol(&patient.elf, "pthread_create") == ELF_SYMBOL_IMPORTED)
        fact("threads", "the program creates POSIX threads: traced");
    else if ((found = find_symbol("pthread_create", ELF_SYMBOL_IMPORTED)))
        fact("threads", "%s creates POSIX threads: traced", found->name);
    else
        fact("threads", "no linked library creates threads");
}

/* The file with OpenCL's loader: a library, or the program itself. */
static void report_opencl(void)
{
    static const char *const loaders[] = {"libOpenCL.so", NULL};
    const struct library *found = find_library(loaders);
    bool is_inside = elf_symbol(&patient.elf, "clGetPlatformIDs") == ELF_SYMBOL_DEFINED;

    doctor_opencl(fact, problem, is_inside ? patient.path : found ? found->path : NULL, is_inside);
}

/* The runtime may be linked statically: the runtime opens the driver by name. */
static void report_cuda(void)
{
    static const char *const runtimes[] = {"libcudart.so", NULL};
    static const char *const drivers[] = {"libcuda.so", NULL};
    const struct library *runtime = find_library(runtimes);
    const struct doctor_cuda cuda = {.runtime = runtime ? runtime->path : NULL,
                                     .is_used = runtime || find_library(drivers) ||
                                                doctor_has(patient.path, "libcuda.so.1")};

    doctor_cuda(fact, problem, &cuda);
}

static void report_hip(void)
{
    static const char *const runtimes[] = {"libamdhip64", NULL};
    static const char *const registers[] = {"librocprofiler-register", NULL};
    const struct library *runtime = find_library(runtimes), *by = find_library(registers);
    const struct doctor_hip hip = {runtime ? runtime->path : NULL, by ? by->path : NULL};
    doctor_hip(fact, problem, &hip);
}

static void report_levelzero(void)
{
    static const char *const loaders[] = {"libze_loader.so", NULL};
    const struct library *found = find_library(loaders);
    doctor_levelzero(fact, problem, found ? found->path : NULL);
}

static void report_sanitizers(void)
{
    static const char *const address[] = {"libasan", "libclang_rt.asan", NULL};
    static const char *const thread[] = {"libtsan", "libclang_rt.tsan", NULL};
    const struct library *found = find_library(address);

    if (found)
        fact("sanitizer",
             "%s: traced; without the launcher, set ASAN_OPTIONS=verify_asan_link_order=0",
             found->name);
    found = find_library(thread);
    if (found)
        problem("sanitizer",
                "%s intercepts the same calls as spur; build without -fsanitize=thread",
                found->name);
}

/*
 * In the order of the decisions of libspur-memory.so. A problem with memory does not keep the rest
 * from being traced.
 */
static void report_memory(void)
{
    const char *sanitizer = program_sanitizer(patient.path);
    const struct library *allocator = find_symbol("malloc", ELF_SYMBOL_DEFINED);

    if (!sanitizer && elf_symbol(&patient.elf, "__asan_init") == ELF_SYMBOL_DEFINED)
        sanitizer = PROGRAM_ASAN; /* of clang, within the program */
    if (sanitizer)
        fact("memory", "--memory records nothing: %s keeps the memory", sanitizer);
    else if (elf_symbol(&patient.elf, "malloc") == ELF_SYMBOL_DEFINED)
        fact("memory", "--memory records nothing: the program contains an allocator; link a shared "
                       "one");
    else if (!allocator)
        fact("memory", "--memory records nothing: no library has a malloc()");
    else if (symbol_of(allocator->path, "malloc_usable_size") != ELF_SYMBOL_DEFINED)
        fact("memory", "--memory records nothing: %s has no malloc_usable_size()", allocator->path);
    else
        fact("memory", "%s: recorded with --memory", allocator->path);
}

static bool has_system_loader(const char *interpreter)
{
    char own[PATH_BYTES];
    struct elf_file self;
    bool is_same;

    if (elf_open(&self, "/proc/self/exe") != 0)
        return false;
    is_same = elf_interpreter(&self, own, sizeof(own)) && strcmp(own, interpreter) == 0;
    elf_close(&self);
    return is_same;
}

/* False: without a program, nothing about the present machine matters. */
static bool examine(const char *name)
{
    char interpreter[PATH_BYTES];

    if (!open_program(name) || !is_loadable(interpreter))
        return patient.elf.fd > 0; /* the program was opened */
    check_rights();
    /* A loader of the program's own could be anything: such a loader is not executed. */
    if (has_system_loader(interpreter)) {
        list_libraries(interpreter);
        report_agent();
        report_mpi();
        report_languages();
        report_opencl();
        report_cuda();
        report_hip();
        report_levelzero();
        report_sanitizers();
        report_memory();
    } else {
        problem("libraries",
                "unknown: the program has a loader of its own, %s; trace it to find out",
                interpreter);
    }
    elf_close(&patient.elf);
    return true;
}

static const struct option_row rows[] = {
    {.brief = "p", .argument = "AGENT", .text = &patient.agent}, /* passed by the launcher */
};

static const struct command_line command = {
    .name = "spur doctor",
    .form = "PROGRAM",
    .about = "Says what spur can trace in PROGRAM, what it cannot, and the remedy. Does not run "
             "PROGRAM.",
    OPTION_ROWS(rows),
    .more = "Exit status: 0: PROGRAM will be traced; 1: it will not, or only in part; 2: wrong "
            "options.",
    .least = 1,
    .most = 1,
    .needs = "'spur doctor' needs one program",
    .ends_at_word = true,
};

static void judge_setting(const char *variable, const char *value, const char *why)
{
    (void)value;
    problem("settings", "%s %s", variable, why);
}

/* The calls to record, as the environment says. */
static void report_settings(void)
{
    char text[PATH_BYTES];
    struct spur_config config;

    spur_config_read(&config, environ, judge_setting);
    spur_selection_say(&config, text, sizeof text);
    fact("settings", "%s", *text ? text : "the calls that spur records by default");
}

int main(int argc, char **argv)
{
    (void)argc;
    const char *program = options_read(&command, argv + 1)[0];
    printf("%s\n", program);
    if (examine(program)) {
        doctor_machine(fact);
        report_settings();
    }
    if (patient.problems)
        printf("%s will not be traced, or not in full: %d problem%s\n", program, patient.problems,
               patient.problems == 1 ? "" : "s");
    else
        printf("%s will be traced\n", program);
    return patient.problems ? 1 : 0;
}
