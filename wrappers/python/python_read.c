/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/python/python_read.h"

/* A child of fork() has another number, but is in no walk of its parent's. */
void python_read_begin(struct spur_script_frame *frame)
{
    if (frame->is_careful)
        frame->process = spur_process_number();
}

/* False: there is no room, or nothing of the interpreter's is there. */
static bool make_room(struct spur_script_frame *frame, struct python_piece *piece)
{
    enum { WORD = 8 };
    size_t left = frame->room_bytes - frame->used;
    if (!piece->at || (uintptr_t)piece->at % sizeof(int32_t) != 0 || left < piece->least)
        return false;
    piece->bytes = piece->bytes < left ? piece->bytes : (uint32_t)left;
    piece->got = frame->room + frame->used;
    size_t words = ((size_t)piece->bytes + WORD - 1) / WORD * WORD;
    frame->used += words < left ? words : left;
    return true;
}

/* One of them reaches to what is not there. */
static bool read_each(const struct spur_script_frame *frame, struct python_piece *piece,
                      const struct spur_memory_piece *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        piece[i].bytes = (uint32_t)spur_read_pieces(frame->process, &want[i], 1);
        if (piece[i].bytes < piece[i].least)
            return false;
    }
    return true;
}

bool python_read_copies(struct spur_script_frame *frame, struct python_piece *piece, size_t n)
{
    struct spur_memory_piece want[SPUR_PIECES_MAX];
    size_t all = 0;
    if (n == 0 || n > SPUR_PIECES_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        char *to = frame->room + frame->used;
        if (!make_room(frame, &piece[i]))
            return false;
        want[i] = (struct spur_memory_piece){piece[i].at, to, piece[i].bytes};
        all += piece[i].bytes;
    }
    return spur_read_pieces(frame->process, want, n) == all || read_each(frame, piece, want, n);
}
