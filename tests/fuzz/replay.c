/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in libFuzzer's place where inputs are only replayed: replay FILE... gives each file to the
 * target.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay(const char *path)
{
    static uint8_t data[FUZZ_INPUT_MAX + 1];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(data, 1, sizeof data, f) : 0;
    /* Exactly as large as the input, for a sanitizer to see its end. */
    uint8_t *exact = malloc(n ? n : 1);
    if (!f || !exact) {
        perror(path);
        abort();
    }
    fclose(f);
    memcpy(exact, data, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    int status = argc < 2;
    for (int i = 1; i < argc; i++)
        status |= replay(argv[i]);
    printf("%d inputs\n", argc - 1);
    return status;
}
