// SPDX-License-Identifier: BSD-3-Clause
// C++: std::thread, std::mutex, std::shared_mutex, std::async, thread_local objects that lock in
// their destructors, and an exception inside a thread.
#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::shared_mutex shared;
static std::atomic<int> destroyed;
static int sum;

struct Counted {
    int used = 0;
    ~Counted()
    {
        std::lock_guard<std::mutex> guard(mutex);
        destroyed++;
    }
};

static thread_local Counted counted;

static void work()
{
    counted.used++;
    try {
        std::lock_guard<std::mutex> guard(mutex);
        sum++;
        throw std::runtime_error("from under the lock");
    } catch (const std::runtime_error &) {
        std::shared_lock<std::shared_mutex> guard(shared);
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
    auto later = std::async(std::launch::async, [] {
        work();
        return 42;
    });
    int answer = later.get();
    std::printf("sum %d, destroyed %d, answer %d\n", sum, destroyed.load(), answer);
    return 0;
}
