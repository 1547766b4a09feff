/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/cfi_program.h"

#include <string.h>

enum { SAVED_MAX = 8 };

struct state {
    struct spur_cfi_place frame, pointer, address;
    bool is_plt;
};

struct machine {
    const struct cfi_processor *processor;
    const uint8_t *p, *end;
    bool is_wrong;
    uint64_t code_step;
    int64_t data_step;
    uint8_t encoding; /* of addresses */
    bool has_size;    /* size of the augmentation data behind the addresses of an FDE */
    bool is_signal;
    uintptr_t at;      /* of the location */
    uintptr_t to_real; /* distance from a byte of the copy to the real address */
    struct state now, first;
    struct state saved[SAVED_MAX];
    int n_saved;
};

/* ---- bytes ---- */

static uint64_t get_number(struct machine *m, size_t bytes)
{
    uint64_t v = 0;
    if ((size_t)(m->end - m->p) < bytes) {
        m->is_wrong = true;
        m->p = m->end;
        return 0;
    }
    memcpy(&v, m->p, bytes); /* little-endian, like all supported processors */
    m->p += bytes;
    return v;
}

static uint64_t get_uleb(struct machine *m)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = get_number(m, 1);
        if (shift < 64)
            v |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
}

static int64_t get_sleb(struct machine *m)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint64_t byte;
    do {
        byte = get_number(m, 1);
        if (shift < 64)
            v |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && byte & 0x40)
        v |= UINT64_MAX << shift;
    return (int64_t)v;
}

static int32_t fit(struct machine *m, int64_t v)
{
    m->is_wrong |= v != (int32_t)v;
    return (int32_t)v;
}

/* Reads an address in the given encoding: absolute or relative to its own place. */
static uintptr_t get_address(struct machine *m, uint8_t encoding, bool is_size)
{
    enum { FORM = 0x0f, RELATIVE = 0x70, PC_RELATIVE = 0x10 };
    enum { ABSOLUTE = 0, U2 = 2, U4 = 3, U8 = 4, S2 = 10, S4 = 11, S8 = 12 };
    uintptr_t here = (uintptr_t)m->p + m->to_real;
    uint64_t v = 0;
    switch (encoding & FORM) {
    case ABSOLUTE:
    case U8:
    case S8:
        v = get_number(m, sizeof(uint64_t));
        break;
    case U4:
        v = get_number(m, sizeof(uint32_t));
        break;
    case S4:
        v = (uint64_t)(int64_t)(int32_t)get_number(m, sizeof(int32_t));
        break;
    case U2:
        v = get_number(m, sizeof(uint16_t));
        break;
    case S2:
        v = (uint64_t)(int64_t)(int16_t)get_number(m, sizeof(int16_t));
        break;
    default:
        m->is_wrong = true;
    }
    if (is_size)
        return v;
    if ((encoding & RELATIVE) == PC_RELATIVE)
        return v + here;
    m->is_wrong |= (encoding & RELATIVE) != 0;
    return v;
}

/* ---- instructions ---- */

static void set_place(struct machine *m, uint64_t reg, struct spur_cfi_place place)
{
    if (reg == m->processor->pointer)
        m->now.pointer = place;
    else if (reg == m->processor->link)
        m->now.address = place;
}

static void set_saved(struct machine *m, uint64_t reg, int64_t units)
{
    int32_t offset = fit(m, units * m->data_step);
    set_place(m, reg, (struct spur_cfi_place){SPUR_CFI_CFA, true, offset});
}

static void restore_first(struct machine *m, uint64_t reg)
{
    set_place(m, reg, reg == m->processor->pointer ? m->first.pointer : m->first.address);
}

static void set_frame(struct machine *m, uint64_t reg, int64_t offset)
{
    m->is_wrong |= reg >= m->processor->registers;
    m->now.frame = (struct spur_cfi_place){(uint8_t)reg, false, fit(m, offset)};
    m->now.is_plt = false;
}

/*
 * Reads an expression, of the kinds in use: a register, an offset, and perhaps the content of the
 * address.
 */
static bool get_expression(struct machine *m, struct spur_cfi_place *place)
{
    enum { BREG0 = 0x70, BREG31 = 0x8f, DEREF = 0x06 };
    uint64_t length = get_uleb(m);
    if (length > (uint64_t)(m->end - m->p)) {
        m->is_wrong = true;
        return false;
    }
    const uint8_t *end = m->p + length;
    uint8_t op = length ? *m->p++ : 0;
    bool is_known = op >= BREG0 && op <= BREG31 && op - BREG0 < m->processor->registers;
    if (is_known) {
        *place = (struct spur_cfi_place){(uint8_t)(op - BREG0), false, fit(m, get_sleb(m))};
        if (m->p < end && *m->p == DEREF) {
            place->is_read = true;
            m->p++;
        }
        is_known = m->p == end;
    }
    m->p = end;
    return is_known;
}

/*
 * The expression that linkers write for the procedure linkage table: rsp + 8 + ((rip & 15) >= 11) *
 * 8.
 */
static bool is_plt_expression(const struct machine *m)
{
    static const uint8_t plt[] = {11,   0x77, 0x08, 0x80, 0x00, 0x3f,
                                  0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    return (size_t)(m->end - m->p) >= sizeof plt && memcmp(m->p, plt, sizeof plt) == 0;
}

static void set_frame_expression(struct machine *m)
{
    struct spur_cfi_place place = {SPUR_CFI_UNKNOWN, false, 0};
    bool is_plt = is_plt_expression(m);
    bool is_known = get_expression(m, &place);
    if (is_plt)
        set_frame(m, m->processor->stack, sizeof(uint64_t));
    else
        m->now.frame = place;
    m->now.is_plt = is_plt;
    if (!is_known && !is_plt)
        m->now.frame.base = SPUR_CFI_UNKNOWN;
}

static void set_expression(struct machine *m, bool is_value)
{
    uint64_t reg = get_uleb(m);
    struct spur_cfi_place place = {SPUR_CFI_UNKNOWN, false, 0};
    bool is_known = get_expression(m, &place) && !place.is_read;
    place.is_read = !is_value;
    if (!is_known)
        place = (struct spur_cfi_place){SPUR_CFI_UNKNOWN, false, 0};
    set_place(m, reg, place);
}

static void remember(struct machine *m, bool is_restored)
{
    m->is_wrong |= is_restored ? m->n_saved == 0 : m->n_saved == SAVED_MAX;
    if (m->is_wrong)
        return;
    if (is_restored)
        m->now = m->saved[--m->n_saved];
    else
        m->saved[m->n_saved++] = m->now;
}

enum instruction {
    NOP = 0x00,
    SET_LOC,
    ADVANCE1,
    ADVANCE2,
    ADVANCE4,
    OFFSET_EXTENDED,
    RESTORE_EXTENDED,
    UNDEFINED,
    SAME_VALUE,
    REGISTER,
    REMEMBER,
    RESTORE,
    DEF_CFA,
    DEF_CFA_REGISTER,
    DEF_CFA_OFFSET,
    DEF_CFA_EXPRESSION,
    EXPRESSION,
    OFFSET_EXTENDED_SF,
    DEF_CFA_SF,
    DEF_CFA_OFFSET_SF,
    VAL_OFFSET,
    VAL_OFFSET_SF,
    VAL_EXPRESSION,
    SIGN_WITH_PLACE = 0x2c, /* AARCH64: toggles signing of the return address */
    SIGN = 0x2d,
    ARGS_SIZE = 0x2e,
};

/*
 * Steps for instructions that move the location, or define the frame; false: another instruction.
 */
static bool step_frame(struct machine *m, uint8_t op)
{
    uint64_t reg;
    switch (op) {
    case SET_LOC:
        m->at = get_address(m, m->encoding, false);
        return true;
    case ADVANCE1:
    case ADVANCE2:
    case ADVANCE4:
        m->at += get_number(m, (size_t)1 << (op - ADVANCE1)) * m->code_step;
        return true;
    case DEF_CFA:
        reg = get_uleb(m);
        set_frame(m, reg, (int64_t)get_uleb(m));
        return true;
    case DEF_CFA_SF:
        reg = get_uleb(m);
        set_frame(m, reg, get_sleb(m) * m->data_step);
        return true;
    case DEF_CFA_REGISTER:
        set_frame(m, get_uleb(m), m->now.frame.offset);
        return true;
    case DEF_CFA_OFFSET:
        set_frame(m, m->now.frame.base, (int64_t)get_uleb(m));
        return true;
    case DEF_CFA_OFFSET_SF:
        set_frame(m, m->now.frame.base, get_sleb(m) * m->data_step);
        return true;
    case DEF_CFA_EXPRESSION:
        set_frame_expression(m);
        return true;
    default:
        return false;
    }
}

/* A register saved in another register. */
static void set_other(struct machine *m, uint64_t reg)
{
    uint64_t other = get_uleb(m);
    bool is_known = other < m->processor->registers;
    uint8_t base = is_known ? (uint8_t)other : (uint8_t)SPUR_CFI_UNKNOWN;
    set_place(m, reg, (struct spur_cfi_place){base, false, 0});
}

/* Steps for instructions that give the place of a register. */
static void step_place(struct machine *m, uint8_t op, uint64_t reg)
{
    static const struct spur_cfi_place nowhere = {SPUR_CFI_NOWHERE, false, 0};
    static const struct spur_cfi_place same = {SPUR_CFI_SAME, false, 0};
    static const struct spur_cfi_place unknown = {SPUR_CFI_UNKNOWN, false, 0};
    switch (op) {
    case OFFSET_EXTENDED:
        set_saved(m, reg, (int64_t)get_uleb(m));
        return;
    case OFFSET_EXTENDED_SF:
        set_saved(m, reg, get_sleb(m));
        return;
    case RESTORE_EXTENDED:
        restore_first(m, reg);
        return;
    case UNDEFINED:
        set_place(m, reg, nowhere);
        return;
    case SAME_VALUE:
        set_place(m, reg, same);
        return;
    case REGISTER:
        set_other(m, reg);
        return;
    case VAL_OFFSET:
    case VAL_OFFSET_SF:
        get_uleb(m);
        set_place(m, reg, unknown);
        return;
    default:
        m->is_wrong = true;
    }
}

static void step_register(struct machine *m, uint8_t op)
{
    bool is_signing = m->processor->id == SPUR_AARCH64 && (op == SIGN || op == SIGN_WITH_PLACE);
    if (op == NOP || is_signing)
        return; /* followers of a stack remove every signature */
    if (op == REMEMBER || op == RESTORE) {
        remember(m, op == RESTORE);
        return;
    }
    if (op == ARGS_SIZE) {
        get_uleb(m);
        return;
    }
    if (op == EXPRESSION || op == VAL_EXPRESSION) {
        set_expression(m, op == VAL_EXPRESSION);
        return;
    }
    step_place(m, op, get_uleb(m));
}

/* Runs the program up to the first instruction that leads behind `pc`. */
static void run(struct machine *m, uintptr_t pc)
{
    enum { ADVANCE = 1, OFFSET = 2, RESTORE_IT = 3, LOW = 0x3f };
    while (m->p < m->end && !m->is_wrong && m->at <= pc) {
        uint8_t op = *m->p++;
        uint8_t low = op & LOW;
        if (op >> 6 == ADVANCE)
            m->at += low * m->code_step;
        else if (op >> 6 == OFFSET)
            set_saved(m, low, (int64_t)get_uleb(m));
        else if (op >> 6 == RESTORE_IT)
            restore_first(m, low);
        else if (!step_frame(m, low))
            step_register(m, low);
    }
}

/* ---- entries ---- */

static void enter(struct machine *m, const struct cfi_entry *entry)
{
    m->p = entry->bytes;
    m->end = entry->bytes + entry->length;
    m->to_real = entry->at - (uintptr_t)entry->bytes;
}

/* Reads the data announced by the letters of the augmentation. */
static void read_augmentation(struct machine *m, const char *letters)
{
    if (*letters != 'z') {
        m->is_wrong |= *letters != '\0';
        return;
    }
    m->has_size = true;
    uint64_t size = get_uleb(m);
    if (size > (uint64_t)(m->end - m->p)) {
        m->is_wrong = true;
        return;
    }
    const uint8_t *behind = m->p + size;
    for (letters++; *letters && !m->is_wrong; letters++) {
        uint8_t encoding = 0;
        if (*letters == 'R' || *letters == 'P' || *letters == 'L')
            encoding = (uint8_t)get_number(m, 1);
        if (*letters == 'R')
            m->encoding = encoding;
        else if (*letters == 'P')
            get_address(m, encoding & 0x0f, true);
        else if (*letters == 'S')
            m->is_signal = true;
        else if (!strchr("LBG", *letters)) /* B, G: AARCH64's signing and tags */
            break;                         /* unknown letters are skipped */
    }
    m->p = behind;
}

static void read_cie(struct machine *m, const struct cfi_entry *cie)
{
    enter(m, cie);
    m->is_wrong |= get_number(m, sizeof(uint32_t)) != 0; /* the mark of a CIE */
    uint64_t version = get_number(m, 1);
    const char *letters = (const char *)m->p;
    const uint8_t *zero = m->p < m->end ? memchr(m->p, 0, (size_t)(m->end - m->p)) : NULL;
    if (!zero || (version != 1 && version != 3)) {
        m->is_wrong = true;
        return;
    }
    m->p = zero + 1;
    m->code_step = get_uleb(m);
    m->data_step = get_sleb(m);
    uint64_t reg = version == 1 ? get_number(m, 1) : get_uleb(m);
    m->is_wrong |=
        reg != m->processor->link || m->data_step > INT16_MAX || m->data_step < INT16_MIN;
    read_augmentation(m, letters);
}

/* Reads up to the instructions of the FDE: *begin and *size describe the code of the FDE. */
static void open_entries(struct machine *m, const struct cfi_processor *processor,
                         const struct cfi_entry *cie, const struct cfi_entry *fde, uintptr_t *begin,
                         uintptr_t *size)
{
    uint8_t link = processor->pushed ? SPUR_CFI_NOWHERE : SPUR_CFI_SAME;
    *m = (struct machine){.processor = processor,
                          .now = {.frame = {SPUR_CFI_UNKNOWN, false, 0},
                                  .pointer = {SPUR_CFI_SAME, false, 0},
                                  .address = {link, false, 0}}};
    read_cie(m, cie);
    run(m, UINTPTR_MAX);
    m->first = m->now;
    m->n_saved = 0;
    enter(m, fde);
    get_number(m, sizeof(uint32_t)); /* the way to the CIE */
    *begin = m->at = get_address(m, m->encoding, false);
    *size = get_address(m, m->encoding, true);
    if (m->has_size) {
        uint64_t more = get_uleb(m);
        m->is_wrong |= more > (uint64_t)(m->end - m->p);
        m->p += m->is_wrong ? 0 : more;
    }
}

bool cfi_range(const struct cfi_processor *processor, const struct cfi_entry *cie,
               const struct cfi_entry *fde, uintptr_t *start, uintptr_t *end)
{
    struct machine m;
    uintptr_t size;
    open_entries(&m, processor, cie, fde, start, &size);
    *end = *start + size;
    return !m.is_wrong && *end > *start;
}

/*
 * A frame ends above its return address. On aarch64 the code of the PLT pushes the return address
 * for _dl_runtime_resolve(), whose entry says that the frame ends below it.
 */
static void end_above_address(struct spur_cfi_rule *rule)
{
    const struct spur_cfi_place *address = &rule->address;
    if (address->base != SPUR_CFI_CFA || !address->is_read || address->offset < 0 ||
        rule->frame.is_read)
        return;
    const int32_t more = address->offset + (int32_t)sizeof(uint64_t);
    rule->frame.offset += more;
    rule->address.offset -= more;
    if (rule->pointer.base == SPUR_CFI_CFA)
        rule->pointer.offset -= more;
}

bool cfi_run(const struct cfi_processor *processor, const struct cfi_entry *cie,
             const struct cfi_entry *fde, uintptr_t pc, struct spur_cfi_rule *rule)
{
    struct machine m;
    uintptr_t begin, size;
    open_entries(&m, processor, cie, fde, &begin, &size);
    if (m.is_wrong || pc - begin >= size)
        return false;
    run(&m, pc);
    rule->frame = m.now.frame;
    rule->pointer = m.now.pointer;
    rule->address = m.now.address;
    rule->is_signal = m.is_signal;
    rule->is_plt = m.now.is_plt;
    end_above_address(rule);
    return !m.is_wrong;
}
