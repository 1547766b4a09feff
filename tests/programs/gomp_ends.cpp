// SPDX-License-Identifier: BSD-3-Clause
//
// Ways in which a program or a thread of it ends while OpenMP is at work: gomp_ends WAY.
#include <omp.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{
constexpr int members = 4;

// One member ends the process, within a critical section of a nested region; the others wait.
void end_inside(int who, void (*end)())
{
#pragma omp parallel num_threads(members)
    {
        if (omp_get_thread_num() == who) {
#pragma omp parallel num_threads(2)
#pragma omp critical
            end();
        }
#pragma omp barrier
    }
}

// Exceptions that are caught where OpenMP allows it: in the innermost construct.
int thrown()
{
    int caught = 0;
#pragma omp parallel num_threads(members) reduction(+ : caught)
    {
        try {
            throw std::runtime_error("member");
        } catch (const std::exception &) {
            caught++;
        }
#pragma omp critical
        {
            try {
                throw 1;
            } catch (int one) {
                caught += one;
            }
        }
#pragma omp single nowait
        for (int i = 0; i < 10; i++) {
#pragma omp task
            {
                try {
                    throw std::runtime_error("task");
                } catch (const std::exception &) {
#pragma omp atomic
                    caught += 0;
                }
            }
        }
    }
    return caught;
}

int work()
{
    int sum = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    return sum;
}

void *work_and_exit(void *)
{
    static thread_local int sum;
    sum = work();
    pthread_exit(&sum);
}

// Threads that have teams of their own, and end.
int threads()
{
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        std::vector<std::thread> others;
        std::vector<int> sums(3);
        for (auto &each : sums)
            others.emplace_back([&each] { each = work() + work(); });
        for (auto &other : others)
            other.join();
        for (int each : sums)
            sum += each;
        pthread_t last;
        pthread_create(&last, nullptr, work_and_exit, nullptr);
        pthread_join(last, nullptr);
    }
    return sum;
}

// The runtime does not survive fork() where it has threads, so the child is one alone.
int forked()
{
    int sum = 0;
#pragma omp parallel num_threads(1)
#pragma omp critical
    {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
#pragma omp parallel num_threads(1)
#pragma omp task shared(sum)
            sum += 7;
        } else {
            int status;
            waitpid(child, &status, 0);
            sum = WEXITSTATUS(status);
        }
    }
    return sum;
}
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    omp_set_max_active_levels(2);
    if (std::strcmp(way, "exit") == 0)
        end_inside(2, [] { exit(3); });
    else if (std::strcmp(way, "exit_first") == 0)
        end_inside(0, [] { exit(3); });
    else if (std::strcmp(way, "_exit") == 0)
        end_inside(1, [] { _exit(3); });
    else if (std::strcmp(way, "kill") == 0)
        end_inside(1, [] { raise(SIGKILL); });
    else if (std::strcmp(way, "throw") == 0)
        std::printf("%d\n", thrown());
    else if (std::strcmp(way, "threads") == 0)
        std::printf("%d\n", threads());
    else if (std::strcmp(way, "fork") == 0)
        return forked();
    return 0;
}
