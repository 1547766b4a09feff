/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/part_file.h"

enum { TEXTS = 1 << 18, DIGITS = 20 };

_Thread_local struct output output;

static _Thread_local char *buffer;
static _Thread_local size_t buffer_size;
static _Thread_local struct output_way way;
static int fault;                  /* errno of the first failure */
static int target = STDOUT_FILENO; /* NOWHERE: others write the same */
enum { NOWHERE = -1 };

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

void output_write(const char *p, size_t n)
{
    while (n && !fault && target != NOWHERE) {
        ssize_t done = write(target, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            fault = done < 0 ? errno : EIO;
            return;
        }
        p += done;
        n -= (size_t)done;
    }
}

void output_to(const char *path)
{
    target = path ? part_file_open(path) : NOWHERE;
}

uint64_t output_position(void)
{
    off_t at;
    output_flush();
    at = lseek(target, 0, SEEK_CUR);
    return fault || at < 0 ? 0 : (uint64_t)at;
}

void output_go_to(uint64_t position)
{
    if (lseek(target, (off_t)position, SEEK_SET) < 0 && !fault)
        fault = errno;
}

static void pass_on(const char *p, size_t n)
{
    if (way.take)
        way.take(way.context, p, n);
    else
        output_write(p, n);
}

void output_flush(void)
{
    pass_on(buffer, (size_t)(output.next - buffer));
    output.next = buffer;
}

bool output_open(size_t size)
{
    if (buffer)
        output_flush();
    free(buffer);
    buffer = malloc(size);
    if (!buffer)
        return false;
    buffer_size = size;
    output.next = buffer;
    output.end = buffer + size - OUTPUT_SLACK;
    return true;
}

char *output_exchange(char *other, size_t *n)
{
    char *full = buffer;
    *n = (size_t)(output.next - buffer);
    buffer = other;
    output.next = buffer;
    output.end = buffer + buffer_size - OUTPUT_SLACK;
    return full;
}

void output_redirect(struct output_way to)
{
    output_flush();
    way = to;
}

void output_drop(void)
{
    free(buffer);
    buffer = NULL;
}

bool output_close(void)
{
    output_flush();
    output_drop();
    if (!fault && target != STDOUT_FILENO && target != NOWHERE &&
        (close(target) || !part_file_done()))
        fault = errno;
    errno = fault;
    return !fault;
}

void put_bytes(const char *bytes, size_t length)
{
    if (length > (size_t)(output.end - output.next)) {
        output_flush();
        if (length > buffer_size / 2) {
            pass_on(bytes, length);
            return;
        }
    }
    memcpy(output.next, bytes, length);
    output.next += length;
    if (output.next >= output.end)
        output_flush();
}

void put_format(const char *format, ...)
{
    char text[256];
    va_list va;
    va_start(va, format);
    int n = vsnprintf(text, sizeof text, format, va);
    va_end(va);
    if (n > 0)
        put_bytes(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

struct text text_copy(const char *bytes, size_t length)
{
    /* One block for many texts; they are never released. */
    static char *next;
    static size_t room;
    size_t need = length + TEXT_STEP;
    if (need > room) {
        room = need > TEXTS ? need : TEXTS;
        next = malloc(room);
    }
    if (!next) {
        fputs("spur print: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    struct text copy = {next, length};
    memcpy(next, bytes, length);
    memset(next + length, 0, TEXT_STEP);
    next += need;
    room -= need;
    return copy;
}

/* Writes the digits so that they end before `end`; returns their start. */
static char *digits(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value < 10) {
        *--end = (char)('0' + value);
        return end;
    }
    end -= 2;
    memcpy(end, pairs + 2 * value, 2);
    return end;
}

void put_unsigned(uint64_t value)
{
    char text[DIGITS + TEXT_STEP];
    char *start = digits(text + DIGITS, value);
    put_text((struct text){start, (size_t)(text + DIGITS - start)});
}

void put_signed(int64_t value)
{
    if (value < 0) {
        put_char('-');
        put_unsigned(-(uint64_t)value);
    } else {
        put_unsigned((uint64_t)value);
    }
}

void put_padded(uint64_t value, unsigned width)
{
    char text[DIGITS + TEXT_STEP];
    memset(text, ' ', DIGITS);
    char *start = digits(text + DIGITS, value);
    size_t length = (size_t)(text + DIGITS - start);
    if (length < width)
        length = width;
    put_text((struct text){text + DIGITS - length, length});
}

void put_blanks(size_t n)
{
    static const char blanks[] = "                                                                "
                                 "                                                                ";
    for (; n > sizeof blanks - 1; n -= sizeof blanks - 1)
        put_bytes(blanks, sizeof blanks - 1);
    put_bytes(blanks, n);
}

void put_real(double value)
{
    put_format("%g", value);
}
