/* SPDX-License-Identifier: BSD-3-Clause */
/* Coroutines of C++20 that lock in every turn, begun in one thread and gone on with in another. */
#include <coroutine>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

namespace
{
enum { TURNS = 2000, COROUTINES = 8 };

std::mutex mutex;
long counted;

struct Turns {
    struct promise_type {
        Turns get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

Turns work()
{
    for (int i = 0; i < TURNS; i++) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            counted++;
        }
        std::once_flag once;
        std::call_once(once, [] { std::lock_guard<std::mutex> lock(mutex); });
        co_await std::suspend_always{};
    }
}

void go_on(Turns *all, int turns)
{
    for (int turn = 0; turn < turns; turn++)
        for (int i = 0; i < COROUTINES; i++)
            all[i].handle.resume();
}
} // namespace

int main()
{
    Turns all[COROUTINES];
    for (Turns &one : all)
        one = work();
    go_on(all, TURNS / 2);
    std::thread(go_on, all, TURNS / 2).join();
    for (Turns &one : all)
        one.handle.destroy();
    std::printf("%ld\n", counted);
    return 0;
}
