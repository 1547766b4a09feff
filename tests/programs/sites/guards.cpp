// SPDX-License-Identifier: BSD-3-Clause
// Locks of C++, whose functions the compiler inlines; says in which line each is taken.
#include <mutex>
#include <shared_mutex>

#include "said.h"

#define NEXT(name) said(name, "guards.cpp", __LINE__ + 1)

static std::mutex mutex;
static std::shared_mutex shared;

template <class Work> static void guarded(Work work)
{
    NEXT("pthread_mutex_lock");
    std::lock_guard<std::mutex> guard(mutex);
    work();
}

int main()
{
    for (int i = 0; i < 3; i++)
        guarded([] {
            NEXT("pthread_rwlock_wrlock");
            shared.lock();
            shared.unlock();
        });
    NEXT("pthread_mutex_lock");
    mutex.lock();
}
