// SPDX-License-Identifier: BSD-3-Clause
// NVTX by its headers for C++: prints the regions that an archive has to hold, "KIND:TEXT VISITS".
#include <cstdio>
#include <thread>

#include <nvtx3/nvtx3.hpp>

struct solver {
    static constexpr char const *name{"solver"};
};
struct setup {
    static constexpr char const *message{"setup"};
};
struct compute {
    static constexpr char const *name{"compute"};
    static constexpr std::uint32_t id{5};
};

enum { TIMES = 10, MARKS = 3 };

static void function()
{
    NVTX3_FUNC_RANGE_IN(solver);
}

int main()
{
    for (int i = 0; i < TIMES; i++) {
        nvtx3::scoped_range outer{"outer"};
        nvtx3::scoped_range_in<solver> inner{nvtx3::registered_string_in<solver>::get<setup>(),
                                             nvtx3::named_category_in<solver>::get<compute>(),
                                             nvtx3::payload{static_cast<std::int64_t>(i)}};
        function();
    }
    for (int i = 0; i < MARKS; i++)
        nvtx3::mark(L"w\u00efde");
    nvtx3::unique_range_in<solver> first{"moved"};
    nvtx3::unique_range_in<solver> second{"moved"};
    std::thread([range = std::move(first)] {}).join();
    std::printf(
        "r:outer %d\nr:solver:setup %d\nr:solver:function %d\nm:w\u00efde %d\nr:solver:moved 2\n",
        TIMES, TIMES, TIMES, MARKS);
    return 0;
}
