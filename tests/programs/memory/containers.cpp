// SPDX-License-Identifier: BSD-3-Clause
/* Two containers of different kinds on one line, of which each compiler makes inlined frames. */
#include <vector>

static std::vector<int> *volatile ints;
static std::vector<double> *volatile reals;
static void *volatile sink;

[[gnu::noinline]] static void fill(std::vector<int> &a, std::vector<double> &b)
{
    a.reserve(1000), b.reserve(1000);
    sink = &a;
}

int main()
{
    ints = new std::vector<int>;
    reals = new std::vector<double>;
    fill(*ints, *reals);
    return 0;
}
