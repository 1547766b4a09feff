/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int rank, peer;

static char *text;
static size_t used, room;
static char act_name[32];

static void put(const char *word)
{
    size_t length = strlen(word);
    if (used + length + 1 > room) {
        room = 2 * (room + length) + 4096;
        text = realloc(text, room);
        if (!text)
            abort();
    }
    memcpy(text + used, word, length + 1);
    used += length;
}

void log_begin(const char *act)
{
    snprintf(act_name, sizeof act_name, "%s", act);
}

const char *log_act(int argc, char **argv)
{
    log_begin("main");
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--act") == 0)
            log_begin(argv[i + 1]);
    return act_name;
}

bool is_act(const char *act, const char *name)
{
    return strcmp(act, name) == 0;
}

/* MPICH's error codes count the errors before; their class is what is comparable. */
void log_call(const char *key, const char *name, int error)
{
    char number[16];
#ifdef MPI_SESSION_NULL
    error &= 0x7f;
#endif
    snprintf(number, sizeof number, "%d", error);
    put(used ? "\n" : "");
    put(key);
    put(" ");
    put(name);
    put(" ");
    put(number);
}

static void put_name(const char *name)
{
    put(" ");
    put(name);
    put("=");
}

void log_ints(const char *name, const int *values, int count)
{
    put_name(name);
    for (int i = 0; i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%s%d", i ? "," : "", values[i]);
        put(number);
    }
}

void log_longs(const char *name, const void *values, int count)
{
    put_name(name);
    for (int i = 0; i < count; i++) {
        char number[32];
        long long value;
        memcpy(&value, (const char *)values + (size_t)i * sizeof value, sizeof value);
        snprintf(number, sizeof number, "%s%lld", i ? "," : "", value);
        put(number);
    }
}

void log_doubles(const char *name, const double *values, int count)
{
    put_name(name);
    for (int i = 0; i < count; i++) {
        char number[40];
        snprintf(number, sizeof number, "%s%g", i ? "," : "", values[i]);
        put(number);
    }
}

/* Up to a NUL, or to the blanks that Fortran fills up with; always one line. */
void log_text(const char *name, const char *from, size_t length)
{
    put_name(name);
    length = strnlen(from, length);
    while (length > 0 && from[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < length; i++)
        put((char[]){from[i] == '\n' ? ' ' : from[i], '\0'});
}

void log_status(const char *name, int source, int tag)
{
    log_ints(name, (int[]){source, tag}, 2);
}

int log_write(void)
{
    char path[64];
    snprintf(path, sizeof path, "calls.%s.%d", act_name, rank);
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    fprintf(file, "%s\n", text ? text : "");
    return fclose(file) ? 1 : 0;
}

void log_program(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
}

MPI_T_enum log_first_enum(int variables)
{
    MPI_T_enum list = MPI_T_ENUM_NULL;
    for (int i = 0; i < variables && list == MPI_T_ENUM_NULL; i++) {
        int verbosity, bind, scope;
        MPI_Datatype type;
        log_call("first_enum", "MPI_T_cvar_get_info",
                 MPI_T_cvar_get_info(i, NULL, NULL, &verbosity, &type, &list, NULL, NULL, &bind,
                                     &scope));
    }
    return list;
}

/* Rank 0 listens; the other one is told the port by the file "port". */
int join_socket(int own_rank)
{
    int end = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (own_rank == 0) {
        if (bind(end, (struct sockaddr *)&address, length) || listen(end, 1) ||
            getsockname(end, (struct sockaddr *)&address, &length))
            return -1;
        FILE *file = fopen("port.new", "w");
        fprintf(file, "%d", ntohs(address.sin_port));
        fclose(file);
        rename("port.new", "port");
        int connected = accept(end, NULL, NULL);
        close(end);
        remove("port");
        return connected;
    }
    FILE *file;
    while (!(file = fopen("port", "r")))
        usleep(1000);
    int port = 0;
    if (fscanf(file, "%d", &port) != 1)
        return -1;
    fclose(file);
    address.sin_port = htons((unsigned short)port);
    return connect(end, (struct sockaddr *)&address, length) ? -1 : end;
}

/* ---- what MPI calls ---- */

void sum_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

void sum_op_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    int n = (int)*count;
    sum_op(in, inout, &n, type);
}

/* Whom an error handler was called for is a result. */
static void failed(const char *whose)
{
    put_name("handler");
    put(whose);
}

void comm_failed(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    failed("comm");
}

void win_failed(MPI_Win *win, int *error, ...)
{
    (void)win, (void)error;
    failed("win");
}

void file_failed(MPI_File *file, int *error, ...)
{
    (void)file, (void)error;
    failed("file");
}

#ifdef MPI_SESSION_NULL
void session_failed(MPI_Session *session, int *error, ...)
{
    (void)session, (void)error;
    failed("session");
}
#endif

int grequest_query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int grequest_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

int grequest_cancel(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

int datarep_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type, (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}
