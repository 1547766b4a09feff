/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the files that the processes of a session have left. */
#ifndef SPUR_FINISH_FIND_H
#define SPUR_FINISH_FIND_H

#include "finish/state/finish_each.h"

/* ---- finish_scan.c: the processes ---- */

/* Fill in the processes, with their states, unsorted. 0 or -errno. */
int finish_scan(struct finish *f);
void finish_forget(struct finish *f); /* the processes, for another scan */
void finish_free(struct finish *f);

/* Finds the names that belong to processes. */
extern const struct finish_step finish_see_step;
/* The fate of a process of another host is judged by a team member on that host. */
extern const struct finish_step finish_judge_step;

/* Did the process of this directory die before the process could write its identity? */
bool finish_is_stillborn(const struct finish *f, const char *name);

/* Make the head of a segment safe to use; false: no segment, or damaged beyond use. */
bool finish_head_check(struct spur_segment *head);

/* Can the name be that of a process in DIR/.spur? */
bool finish_is_process_name(const char *name);

/* Is the segment in this directory missing, or no segment? */
bool finish_is_unreadable(const struct finish *f, const char *name);
/* Does the process of that name still run, or has the process recorded anything? */
bool finish_may_record(const struct finish *f, const char *name);

/* Add a process, zeroed. NULL: no memory. */
struct finish_process *finish_add(struct finish *f);

/* Add the processes of a folder of the form PLACE/.spur; NULL: of DIR/.spur. 0 or -errno. */
int finish_scan_place(struct finish *f, const char *place);

/* ---- finish_hosts.c: processes whose files lie on hosts, see session/local_place.h ---- */

/*
 * Add the processes whose files lie on this host, and count other hosts with files. If the session
 * is claimed, ended processes are moved to DIR first, from each place where no process may still
 * record. A team moves the processes on each of its hosts.
 */
int finish_hosts_scan(struct finish *f);
extern const struct finish_step finish_hosts_step; /* for no process */
/*
 * Call `each` for every place of the session on this host, and note the other hosts in f->hosts.
 * Stops as spur_file_list() does.
 */
int finish_hosts_each(struct finish *f, int (*each)(void *data, const char *place), void *data);
/* Does any file of the session lie on this host? */
bool finish_hosts_have(const struct finish *f);
/*
 * Move all processes of a place, if no process of the place may still record. 0, 1: a process may
 * still record, or -errno.
 */
int finish_hosts_empty(struct finish *f, const char *place);

/* ---- finish_running.c: may the session be finished? ---- */

enum { FINISH_NAP_MS = 20 };
void finish_nap(void);

bool finish_is_running(const struct finish *f);
/* "pid 12, pid 15 on host4 and 3 more"; "": no process runs. */
void finish_list_running(const struct finish *f, char *text, size_t size);
/* 0, or -EBUSY and a line that names the running processes. */
int finish_check_running(const struct finish *f);
/* finish_scan(), repeated for some time while processes are about to end. */
int finish_scan_patiently(struct finish *f);
/* finish_scan(): true if no other process may still record, all ranks of the MPI job included. */
bool finish_has_ended(struct finish *f);

/* ---- finish_live.c ---- */

/* Is there a process with the agent on this host that may still begin to record for `f`? */
bool finish_is_lived_in(const struct finish *f);

/* ---- finish_order.c: identities ---- */

/* Mark the processes that have become another program: they record no more. */
int finish_find_execs(struct finish *f);
/* Are there processes, unseen by finish_scan(), that may record? */
bool finish_has_newcomers(const struct finish *f);

/* The sorted processes, by name, for finding a process by name. */
struct finish_names {
    uint64_t *order;
    uint64_t n;
};
bool finish_names_sort(const struct finish *f, struct finish_names *names); /* false: no memory */
/*
 * The name has `length` characters; further characters may follow. NULL: no process has the name.
 */
struct finish_process *finish_names_find(const struct finish *f, const struct finish_names *names,
                                         const char *name, size_t length);
void finish_names_free(struct finish_names *names);

/* Number the processes, add missing ranks, find creators; the processes are then in order. */
int finish_order(struct finish *f);

/*
 * The number of rank 0 of each other MPI job that the process has met, by the process's number of
 * the job; UINT64_MAX: not known.
 */
int finish_worlds(const struct finish *f, const struct finish_process *p,
                  struct spur_words *worlds);

/* ---- finish_counts.c ---- */

/*
 * What it has counted of locks, once its journal is read: as it has told, and of its file, where it
 * was killed before or goes on. Of one number there is one count afterwards.
 */
int finish_counts_load(const struct finish *f, struct finish_process *p);

/* ---- finish_journal.c ---- */

/* Load the process's journal, as far as readable. 0 or -errno. */
int finish_journal_load(const struct finish *f, struct finish_process *p);

/* ---- finish_threads.c: the statements of a process about itself ---- */

/* Load the journal; find the threads, by their files, their slots and the journal; properties. */
int finish_threads(struct finish *f, struct finish_process *p);

/*
 * Place of the thread of that number among the process's threads; the number of threads: not found.
 */
uint64_t finish_thread_place(const struct finish_process *p, uint64_t number);

/*
 * The members of the process's team into `members`: places of threads among all threads of the
 * session.
 */
uint64_t finish_team(const struct finish_process *p, uint64_t team, uint64_t *members,
                     uint64_t room);

/* ---- finish_end.c: how processes ended ---- */

/*
 * The process died of the crash noted by the process itself. Call after the observer of the end is
 * known.
 */
bool finish_has_crashed(const struct finish_process *p);

/* Read the notes of other processes about a process that is not closed. */
void finish_end_read(struct finish *f, struct finish_process *p);

/*
 * After all ends are read, for each process: the time when the parent last saw the process alive.
 */
void finish_end_alive(struct finish *f, struct finish_process *p);

/*
 * After finish_end_alive(), before the events are completed: a time when a dead process had
 * certainly ended.
 */
void finish_end_date(struct finish *f, struct finish_process *p);
/* Ticks of the last record of the threads that had not ended, by the segment; 0: it is not known.
 */
uint64_t finish_end_recorded(struct finish *f, const struct finish_process *p);

/* The properties, after all times are known and before strings are written. */
void finish_end_properties(struct finish *f);

/* "; Process 12 (prog) was killed by SIGSEGV", and how many more died; "": all ended in order. */
void finish_end_say(struct finish *f, char *text, size_t size);

/* How many processes did not end by an exit status. */
uint64_t finish_end_dead(const struct finish *f);

#endif
