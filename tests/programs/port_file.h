/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that meet in one working directory: what the one writes to the file `port`, whole at
 * once, the other reads as soon as it is there.
 */
#ifndef TESTS_PORT_FILE_H
#define TESTS_PORT_FILE_H

#include <stdio.h>
#include <unistd.h>

#include "expect.h"

static void write_port(const char *port)
{
    FILE *file = fopen("port.new", "w");
    fputs(port, file);
    fclose(file);
    rename("port.new", "port");
}

static void read_port(char *port, int bytes)
{
    FILE *file;
    while (!(file = fopen("port", "r")))
        usleep(10000);
    EXPECT(fgets(port, bytes, file));
    fclose(file);
}

#endif
