// SPDX-License-Identifier: BSD-3-Clause
/* Three sites of operators and containers: one leaves 48,000 bytes, one 100,000, one nothing. */
#include <cstdio>
#include <vector>

struct node {
    double value[500];
    node *next;
};

static node *volatile forgotten;
static std::vector<char> *volatile buffer;
static int *volatile numbers;

int main()
{
    for (int i = 0; i < 12; i++)
        forgotten = new node;
    auto *chars = new std::vector<char>;
    chars->reserve(100000);
    buffer = chars;
    for (int i = 0; i < 9; i++) {
        numbers = new int[5000]; /* not left out by a compiler */
        delete[] numbers;
    }
    std::puts("done");
}
