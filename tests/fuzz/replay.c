/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in libFuzzer's place where inputs are only replayed: replay FILE... gives each file to the
 * target.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(FUZZ_INPUT_MAX + 1);
    if (!f || !data) {
        perror(path);
        return 1;
    }
    size_t n = fread(data, 1, FUZZ_INPUT_MAX + 1, f);
    fclose(f);
    /* Exactly as large as the input, for a sanitizer to see its end. */
    uint8_t *exact = realloc(data, n ? n : 1);
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
