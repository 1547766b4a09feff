/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes of the session (spur_agent.h) by which two MPI jobs agree, and the final decision: a note
 * that can be made once, by the first side to come. All functions are thread-safe, since the notes
 * are files.
 *
 * A note is called KIND-KEY. The key names the subject of the agreement. A decision has the kind
 * "go", and the text "no", or "go WORD" followed by lines with the roster of the deciding side.
 */
#ifndef MPI_DECISION_H
#define MPI_DECISION_H

#include "wrappers/mpi/library/mpi_library.h"

enum {
    MPI_NOTE_KEY_BYTES = 256,
    MPI_NOTE_NAME_BYTES = 640,
    MPI_NOTE_PATIENCE_MS = 20000, /* with the other side, known to be on its way */
    MPI_NOTE_NAP_MS = 1,
};

/* KIND-KEY into `name`, of MPI_NOTE_NAME_BYTES. */
void mpi_note_name(char *name, const char *kind, const char *key);
bool mpi_note_is_there(const char *kind, const char *key);
/* False: the note exists already, or cannot be made. */
bool mpi_note_put(const char *kind, const char *key, const char *text);
/* The text, in agent memory of *room bytes; NULL: no such note. */
char *mpi_note_get(const char *kind, const char *key, size_t *room);

/* Sleep for *ms milliseconds, and longer the next time. */
void mpi_note_nap(int *ms);

/* `text` as a key of MPI_NOTE_KEY_BYTES; a long text is replaced by a number. */
void mpi_note_key(char *key, const char *text);

/*
 * "go WORD" and the roster of the `size` processes behind `comm`, in agent memory of *room bytes.
 * NULL: a process is a stranger.
 */
char *mpi_decision_compose(const struct mpi_library *lib, mpi_word comm, int size, const char *word,
                           size_t *room);
/* The word of a decision, copied to `word` of MPI_NOTE_KEY_BYTES; "" if `text` is no "go". */
const char *mpi_decision_word(const char *text, char *word);
/* The roster of a decision, within the text; NULL: no roster. */
const char *mpi_decision_roster(const char *decision);

/* The decision for `key` is `text` unless already decided: true if the decision is ours. */
bool mpi_decision_make(const char *key, const char *text);
/*
 * Wait for the other side's decision, at most MPI_NOTE_PATIENCE_MS or until there is a note
 * "poison" for the key `poison` (may be NULL); then decide "no". Returns the decision in agent
 * memory of *room bytes, NULL for "no".
 */
char *mpi_decision_await(const char *key, const char *poison, size_t *room);

#endif
