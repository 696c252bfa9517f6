/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/lines.c - see lines.h. Host side.
 *
 * The sections are bytes from outside: every read is checked against the end of its unit, and a
 * unit that does not decode is skipped. A look-up runs the line programs from the start until a row
 * covers the address. Crashes are rare, so there is no table.
 */
#include "base/lines.h"

#include <string.h>

#define DW_LNS_COPY 1
#define DW_LNS_ADVANCE_PC 2
#define DW_LNS_ADVANCE_LINE 3
#define DW_LNS_SET_FILE 4
#define DW_LNS_SET_COLUMN 5
#define DW_LNS_CONST_ADD_PC 8
#define DW_LNS_FIXED_ADVANCE_PC 9
#define DW_LNE_END_SEQUENCE 1
#define DW_LNE_SET_ADDRESS 2
#define DW_LNCT_PATH 1
#define DW_LNCT_DIRECTORY_INDEX 2
#define DW_FORM_DATA2 0x05
#define DW_FORM_DATA4 0x06
#define DW_FORM_DATA8 0x07
#define DW_FORM_STRING 0x08
#define DW_FORM_BLOCK 0x09
#define DW_FORM_DATA1 0x0b
#define DW_FORM_STRP 0x0e
#define DW_FORM_UDATA 0x0f
#define DW_FORM_DATA16 0x1e
#define DW_FORM_LINE_STRP 0x1f
#define MAX_FORMATS 16u

/* Bytes that are left. After a read beyond the end it is bad, and all reads give 0. */
struct cursor {
    const uint8_t *p;
    size_t n;
    bool bad;
};

static const uint8_t *
take(struct cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    if (c->bad || n > c->n) {
        c->bad = true;
        c->n = 0;
        return NULL;
    }
    c->p += n;
    c->n -= n;
    return p;
}

/* Little-endian, 1 to 8 bytes. */
static uint64_t
read_uint(struct cursor *c, unsigned size_b)
{
    const uint8_t *p = take(c, size_b);
    uint64_t x = 0;

    for (unsigned i = 0; p != NULL && i < size_b; i++)
        x |= (uint64_t)p[i] << (8 * i);
    return x;
}

static uint64_t
read_uleb(struct cursor *c)
{
    uint64_t x = 0;

    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = (uint8_t)read_uint(c, 1);

        if (shift < 64)
            x |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return x;
    }
}

static int64_t
read_sleb(struct cursor *c)
{
    uint64_t x = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)read_uint(c, 1);
        if (shift < 64)
            x |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0)
        x |= ~0ull << shift;
    return (int64_t)x;
}

static const char *
read_string(struct cursor *c)
{
    const uint8_t *end = c->bad || c->n == 0 ? NULL : memchr(c->p, 0, c->n);
    const uint8_t *p = take(c, end != NULL ? (uint64_t)(end - c->p) + 1 : UINT64_MAX);

    return p != NULL ? (const char *)p : "";
}

static const char *
string_at(const uint8_t *section, size_t section_b, uint64_t at)
{
    struct cursor c = { section, section_b, false };

    return take(&c, at) != NULL || at == 0 ? read_string(&c) : "";
}

struct unit {
    const struct burl_lines_input *in;
    struct cursor tables;  /* of directories and files */
    struct cursor program; /* the rows, as code */
    uint16_t version;
    unsigned offset_b; /* 4 or 8: 32-bit or 64-bit DWARF */
    uint8_t min_instruction;
    int8_t line_base;
    uint8_t line_range;
    uint8_t opcode_base;
    const uint8_t *lengths; /* of the operands of standard opcodes, from opcode 1 */
};

/* Takes a unit off the section. False: it cannot be used; the section may have more. */
static bool
read_unit(const struct burl_lines_input *in, struct cursor *section, struct unit *u)
{
    uint64_t length = read_uint(section, 4);
    struct cursor c;
    uint64_t header_b;

    *u = (struct unit){ .in = in, .offset_b = 4 };
    if (length == 0xffffffff) {
        u->offset_b = 8;
        length = read_uint(section, 8);
    }
    c = (struct cursor){ section->p, length, false };
    if (take(section, length) == NULL)
        return false;
    u->version = (uint16_t)read_uint(&c, 2);
    if (u->version < 2 || u->version > 5)
        return false;
    if (u->version >= 5)
        (void)take(&c, 2); /* sizes of addresses and segment selectors */
    header_b = read_uint(&c, u->offset_b);
    u->tables = c;
    if (header_b > c.n)
        return false;
    u->tables.n = header_b;
    u->program = (struct cursor){ c.p + header_b, c.n - header_b, c.bad };
    u->min_instruction = (uint8_t)read_uint(&u->tables, 1);
    if (u->version >= 4)
        (void)take(&u->tables, 1); /* operations of an instruction */
    (void)take(&u->tables, 1);     /* default of is_stmt */
    u->line_base = (int8_t)read_uint(&u->tables, 1);
    u->line_range = (uint8_t)read_uint(&u->tables, 1);
    u->opcode_base = (uint8_t)read_uint(&u->tables, 1);
    if (u->opcode_base == 0 || u->line_range == 0)
        return false;
    u->lengths = take(&u->tables, u->opcode_base - 1u);
    return !u->tables.bad && !u->program.bad;
}

/* ---- rows ---------------------------------------------------------------------------------- */

struct row {
    uint64_t addr;
    uint64_t file;
    uint32_t line;
    uint32_t column;
    bool guessed;
};

struct machine {
    struct unit *u;
    struct row now;
    struct row last; /* the row before, with a line if there was one at all */
    bool begun;      /* there is one in this sequence */
    uint64_t start;  /* of the sequence */
    uint64_t wanted;
    bool found; /* `last` is it */
};

static void
begin_sequence(struct machine *m)
{
    m->now = (struct row){ .file = 1, .line = 1 };
    m->begun = false;
}

/* A row holds up to the next one. Functions that the linker has removed begin at 0. */
static void
add_row(struct machine *m)
{
    if (!m->begun) {
        m->begun = true;
        m->start = m->now.addr;
        m->last = m->now;
        return;
    }
    if (m->start != 0 && m->last.addr <= m->wanted && m->wanted < m->now.addr) {
        m->found = true;
        return;
    }
    if (m->now.line == 0) { /* no line of its own: part of what was before */
        m->last.addr = m->now.addr;
        m->last.guessed = true;
    } else {
        m->last = m->now;
    }
}

static void
advance(struct machine *m, uint64_t operations)
{
    m->now.addr += operations * m->u->min_instruction;
}

static void
run_extended(struct machine *m, struct cursor *c)
{
    const uint64_t n = read_uleb(c);
    struct cursor operands = { c->p, n, false };

    if (take(c, n) == NULL || n == 0)
        return;
    switch (read_uint(&operands, 1)) {
    case DW_LNE_END_SEQUENCE:
        add_row(m);
        if (!m->found)
            begin_sequence(m);
        break;
    case DW_LNE_SET_ADDRESS:
        if (operands.n <= 8)
            m->now.addr = read_uint(&operands, (unsigned)operands.n);
        break;
    default:
        break;
    }
}

static void
run_standard(struct machine *m, struct cursor *c, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_COPY:
        add_row(m);
        break;
    case DW_LNS_ADVANCE_PC:
        advance(m, read_uleb(c));
        break;
    case DW_LNS_ADVANCE_LINE:
        m->now.line += (uint32_t)read_sleb(c);
        break;
    case DW_LNS_SET_FILE:
        m->now.file = read_uleb(c);
        break;
    case DW_LNS_SET_COLUMN:
        m->now.column = (uint32_t)read_uleb(c);
        break;
    case DW_LNS_CONST_ADD_PC:
        advance(m, (255u - m->u->opcode_base) / m->u->line_range);
        break;
    case DW_LNS_FIXED_ADVANCE_PC:
        m->now.addr += read_uint(c, 2);
        break;
    default:
        for (unsigned i = 0; i < m->u->lengths[opcode - 1]; i++)
            (void)read_uleb(c);
        break;
    }
}

static bool
find_row(struct unit *u, uint64_t addr, struct row *out)
{
    struct machine m = { .u = u, .wanted = addr };
    struct cursor c = u->program;

    begin_sequence(&m);
    while (c.n > 0 && !c.bad && !m.found) {
        const uint8_t opcode = (uint8_t)read_uint(&c, 1);

        if (opcode >= u->opcode_base) {
            const unsigned x = opcode - (unsigned)u->opcode_base;

            advance(&m, x / u->line_range);
            m.now.line += (uint32_t)(u->line_base + (int)(x % u->line_range));
            add_row(&m);
        } else if (opcode == 0) {
            run_extended(&m, &c);
        } else {
            run_standard(&m, &c, opcode);
        }
    }
    *out = m.last;
    return m.found && m.last.line != 0;
}

/* ---- files --------------------------------------------------------------------------------- */

struct entry {
    const char *name;
    uint64_t dir;
};

/* Entry `wanted` of a table of DWARF 2 to 4; both tables are counted from 1. */
static bool
find_old_entry(struct cursor *c, bool files, uint64_t wanted, struct entry *out)
{
    bool found = false;

    for (uint64_t i = 1; !c->bad; i++) {
        struct entry e = { .name = read_string(c) };

        if (c->bad || e.name[0] == '\0')
            break;
        if (files) {
            e.dir = read_uleb(c);
            (void)read_uleb(c); /* time */
            (void)read_uleb(c); /* size */
        }
        if (i == wanted) {
            *out = e;
            found = true;
        }
    }
    return found && !c->bad;
}

static uint64_t
read_form(struct unit *u, struct cursor *c, uint64_t form, const char **text)
{
    switch (form) {
    case DW_FORM_STRING:
        *text = read_string(c);
        return 0;
    case DW_FORM_LINE_STRP:
        *text = string_at(u->in->line_str, u->in->line_str_b, read_uint(c, u->offset_b));
        return 0;
    case DW_FORM_STRP:
        *text = string_at(u->in->str, u->in->str_b, read_uint(c, u->offset_b));
        return 0;
    case DW_FORM_UDATA:
        return read_uleb(c);
    case DW_FORM_DATA1:
        return read_uint(c, 1);
    case DW_FORM_DATA2:
        return read_uint(c, 2);
    case DW_FORM_DATA4:
        return read_uint(c, 4);
    case DW_FORM_DATA8:
        return read_uint(c, 8);
    case DW_FORM_DATA16:
        (void)take(c, 16);
        return 0;
    case DW_FORM_BLOCK:
        (void)take(c, read_uleb(c));
        return 0;
    default:
        c->bad = true; /* its size is not known */
        return 0;
    }
}

/* The same of DWARF 5, whose tables describe themselves and are counted from 0. */
static bool
find_new_entry(struct unit *u, struct cursor *c, uint64_t wanted, struct entry *out)
{
    uint64_t content[MAX_FORMATS];
    uint64_t form[MAX_FORMATS];
    const unsigned n_formats = (unsigned)read_uint(c, 1);
    uint64_t n;
    bool found = false;

    if (n_formats > MAX_FORMATS)
        return false;
    for (unsigned i = 0; i < n_formats; i++) {
        content[i] = read_uleb(c);
        form[i] = read_uleb(c);
    }
    n = read_uleb(c);
    for (uint64_t i = 0; i < n && !c->bad && n_formats > 0 && c->n > 0; i++) {
        struct entry e = { .name = "" };

        for (unsigned k = 0; k < n_formats; k++) {
            const char *text = "";
            const uint64_t x = read_form(u, c, form[k], &text);

            if (content[k] == DW_LNCT_PATH)
                e.name = text;
            else if (content[k] == DW_LNCT_DIRECTORY_INDEX)
                e.dir = x;
        }
        if (i == wanted) {
            *out = e;
            found = true;
        }
    }
    return found && !c->bad;
}

static bool
find_file(struct unit *u, uint64_t number, struct burl_line_place *out)
{
    struct cursor dirs = u->tables;
    struct cursor files = u->tables;
    struct entry dir = { .name = "" };
    struct entry file = { .name = "" };
    bool ok;

    /* The directories come first: they are read to get to the files, and then for one of them. */
    if (u->version >= 5) {
        (void)find_new_entry(u, &files, UINT64_MAX, &dir);
        ok = find_new_entry(u, &files, number, &file);
        if (ok && file.dir != 0)
            (void)find_new_entry(u, &dirs, file.dir, &dir);
    } else {
        (void)find_old_entry(&files, false, UINT64_MAX, &dir);
        ok = find_old_entry(&files, true, number, &file);
        if (ok && file.dir != 0)
            (void)find_old_entry(&dirs, false, file.dir, &dir);
    }
    out->dir = dir.name;
    out->file = file.name;
    return ok && file.name[0] != '\0';
}

bool
burl_lines_find(const struct burl_lines_input *in, uint64_t addr, struct burl_line_place *out)
{
    struct cursor section = { in->line, in->line_b, false };

    *out = (struct burl_line_place){ .dir = "", .file = "" };
    while (section.n > 0 && !section.bad) {
        struct unit u;
        struct row row;

        if (!read_unit(in, &section, &u) || !find_row(&u, addr, &row))
            continue;
        out->line = row.line;
        out->column = row.column;
        out->guessed = row.guessed;
        return find_file(&u, row.file, out);
    }
    return false;
}
