/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two files of io_random have in common. */
#ifndef IO_RANDOM_H
#define IO_RANDOM_H

/* The numbers that operations choose from. */
enum { LOWEST = 20, NUMBERS = 10, DATA = 5000 };

extern char data[DATA];
/* How many streams are open: a child of vfork() must not change it. */
extern int open_streams;

unsigned below(unsigned n);
/* An operation, with what it returned; errno is why it failed. */
void say(long ret, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* A descriptor, which need not be open. */
int some(void);
/* A random operation on descriptors, streams or names. */
void do_something(void);
/* Where is each descriptor? */
void probe(void);
void close_all(void);

#endif
