/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the operators of C++ in itself (-static-libstdc++), and uses each kind of them. */
#include <cstdint>
#include <new>
#include <string>
#include <vector>

struct alignas(64) Wide {
    char bytes[64];
};

extern "C" int use()
{
    std::vector<std::string> words(100, std::string(100, 'x'));
    Wide *wide = new Wide[3];
    Wide *one = new (std::nothrow) Wide;
    int *few = new (std::nothrow) int[10];
    bool is_aligned = reinterpret_cast<std::uintptr_t>(wide) % 64 == 0 &&
                      reinterpret_cast<std::uintptr_t>(one) % 64 == 0;
    delete[] wide;
    delete one;
    delete[] few;
    return is_aligned ? static_cast<int>(words.size()) : -1;
}
