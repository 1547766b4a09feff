/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processes of a session have left. */
#ifndef SPUR_FINISH_FIND_H
#define SPUR_FINISH_FIND_H

#include "finish/state/finish_each.h"

/* ---- finish_scan.c: what is there ---- */

/* Fill in the processes, with their states, unsorted. 0 or -errno. */
int finish_scan(struct finish *f);
void finish_forget(struct finish *f); /* the processes, for another scan */
void finish_free(struct finish *f);

/* Which of the names are those of processes. */
extern const struct finish_step finish_see_step;
/* What has become of a process of another host is seen by who is there. */
extern const struct finish_step finish_judge_step;

/* Did the process of this directory die before it had come to say who it was? */
bool finish_is_stillborn(const struct finish *f, const char *name);

/* Make what a segment says of its process safe to use; false: it is none, or damaged beyond use. */
bool finish_head_check(struct spur_segment *head);

/* Can it be the name in DIR/.spur of a process? */
bool finish_is_process_name(const char *name);

/* Is the segment in this directory missing, or no segment? */
bool finish_is_unreadable(const struct finish *f, const char *name);
/* Of that name: does it run still, or has it recorded? */
bool finish_may_record(const struct finish *f, const char *name);

/* Add a process, zeroed. NULL: no memory. */
struct finish_process *finish_add(struct finish *f);

/* Add the processes of a folder of that form, PLACE/.spur; NULL: of DIR/.spur. 0 or -errno. */
int finish_scan_place(struct finish *f, const char *place);

/* ---- finish_hosts.c: what lies on the hosts, see session/local_place.h ---- */

/*
 * Add the processes that lie on this host, and count other hosts that have some. If the session is
 * claimed, those that have ended are moved to DIR first, from each place where none may record. A
 * team does so on each of its hosts.
 */
int finish_hosts_scan(struct finish *f);
extern const struct finish_step finish_hosts_step; /* for no process */
/*
 * Call `each` for every place of the session on this host, and note the others in f->hosts. Stops
 * as spur_file_list() does.
 */
int finish_hosts_each(struct finish *f, int (*each)(void *data, const char *place), void *data);
/* Does something lie on this host? */
bool finish_hosts_have(const struct finish *f);
/* Move all processes of a place, if none of them may still record. 0, 1: one may, or -errno. */
int finish_hosts_empty(struct finish *f, const char *place);

/* ---- finish_running.c: may it be finished? ---- */

enum { FINISH_NAP_MS = 20 };
void finish_nap(void);

bool finish_is_running(const struct finish *f);
/* "pid 12, pid 15 on host4 and 3 more"; "": none. */
void finish_list_running(const struct finish *f, char *text, size_t size);
/* 0, or -EBUSY and a line that names those that still run. */
int finish_check_running(const struct finish *f);
/* finish_scan(), and again for some time while processes run that are about to end. */
int finish_scan_patiently(struct finish *f);
/* finish_scan(): may no other process still record, all ranks of the MPI job included? */
bool finish_has_ended(struct finish *f);

/* ---- finish_live.c ---- */

/* Is there a process on this host that has the agent and may still come to record for `f`? */
bool finish_is_lived_in(const struct finish *f);

/* ---- finish_order.c: which is which ---- */

/* A process that has become another program does not record any more. */
int finish_find_execs(struct finish *f);
/* Are there processes that finish_scan() has not seen, and that may record? */
bool finish_has_newcomers(const struct finish *f);

/* The processes that there are when they are sorted, by name, for looking one up. */
struct finish_names {
    uint64_t *order;
    uint64_t n;
};
bool finish_names_sort(const struct finish *f, struct finish_names *names); /* false: no memory */
/* The name has `length` characters, and may go on behind them. NULL: nobody is called so. */
struct finish_process *finish_names_find(const struct finish *f, const struct finish_names *names,
                                         const char *name, size_t length);
void finish_names_free(struct finish_names *names);

/* Number the processes, add missing ranks, find creators; the processes are then in order. */
int finish_order(struct finish *f);

/* Where the other MPI jobs begin that the process has met, by its numbers; UINT64_MAX: not known.
 */
int finish_worlds(const struct finish *f, const struct finish_process *p,
                  struct spur_words *worlds);

/* ---- finish_journal.c ---- */

/* Load the process's journal, as far as it goes. 0 or -errno. */
int finish_journal_load(const struct finish *f, struct finish_process *p);

/* ---- finish_threads.c: what a process says of itself ---- */

/* Load the journal; find the threads, by their files, their slots and the journal; properties. */
int finish_threads(struct finish *f, struct finish_process *p);

/* Place among the process's threads of the one of that number; their number if there is none. */
uint64_t finish_thread_place(const struct finish_process *p, uint64_t number);

/* The members of the process's team into `members`: places of threads among all of the session. */
uint64_t finish_team(const struct finish_process *p, uint64_t team, uint64_t *members,
                     uint64_t room);

/* ---- finish_end.c: how processes ended ---- */

/* It died as its own note of a crash says. Once it is known who saw the end. */
bool finish_has_crashed(const struct finish_process *p);

/* What others have noted, of one process that is not closed. */
void finish_end_read(struct finish *f, struct finish_process *p);

/* Once all ends are read, of each process: when its parent has last seen that it was there. */
void finish_end_alive(struct finish *f, struct finish_process *p);

/* Then, before its events are completed: when a dead process had ended for sure. */
void finish_end_date(struct finish *f, struct finish_process *p);

/* The properties, once all times are known and before strings are written. */
void finish_end_properties(struct finish *f);

/* "; Process 12 (prog) was killed by SIGSEGV", and how many more died; "": none did. */
void finish_end_say(struct finish *f, char *text, size_t size);

/* How many processes did not end by an exit status. */
uint64_t finish_end_dead(const struct finish *f);

#endif
