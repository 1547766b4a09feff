/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher of the tests' MPI library: mpirun -n RANKS COMMAND. It ends with the first status
 * that is not 0; when a rank ends so, the others are terminated, as launchers do.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_RANKS = 64 };

static pid_t ranks[MAX_RANKS];

static pid_t launch(int rank, char **command)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    char number[16];
    snprintf(number, sizeof number, "%d", rank);
    setenv("PMI_RANK", number, 1);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for_all(int size)
{
    int result = 0;
    int status;
    for (pid_t pid = wait(&status); pid > 0; pid = wait(&status)) {
        if (result == 0 && status_of(status) != 0) {
            result = status_of(status);
            for (int i = 0; i < size; i++)
                if (ranks[i] != pid)
                    kill(ranks[i], SIGTERM);
        }
        for (int i = 0; i < size; i++)
            if (ranks[i] == pid)
                ranks[i] = 0x7fffffff; /* gone: no process has this number */
    }
    return result;
}

int main(int argc, char **argv)
{
    int size = argc > 3 && strcmp(argv[1], "-n") == 0 ? atoi(argv[2]) : 0;
    char job[] = "/tmp/mpi_abi.XXXXXX";
    int fd = size < 1 || size > MAX_RANKS ? -1 : mkstemp(job);
    if (fd < 0) {
        fprintf(stderr, "usage: mpirun -n RANKS COMMAND...\n");
        return 2;
    }
    close(fd);
    setenv("ABI_JOB", job, 1);
    setenv("PMI_SIZE", argv[2], 1);
    for (int i = 0; i < size; i++)
        ranks[i] = launch(i, argv + 3);
    int result = wait_for_all(size);
    unlink(job);
    return result;
}
