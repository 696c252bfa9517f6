/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/history_file.c - see history_file.h: the records of one file. Host side.
 */
#include "base/history_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "wire/history.h"
#include "wire/version.h"

struct decoder {
    struct burl_hist_file *out;
    const uint8_t *bytes;
    const char *path;   /* of the file, for messages */
    struct burl_map at; /* offset of a segment or role -> index */
    struct burl_err *err;
};

void
burl_hist_file_deinit(struct burl_hist_file *f)
{
    BURL_VEC_FREE(&f->segments);
    BURL_VEC_FREE(&f->modules);
    BURL_VEC_FREE(&f->roles);
    BURL_VEC_FREE(&f->overlaps);
    BURL_VEC_FREE(&f->chunks);
    memset(f, 0, sizeof *f);
}

static enum burl_status
damaged(const struct decoder *d, uint64_t off, const char *what)
{
    return burl_err_set(d->err, BURL_E_FORMAT, 0, "%s: %s at offset %llu", d->path, what,
                        (unsigned long long)off);
}

/* The string behind the fixed part of a record; NULL: it does not end there. */
static const char *
text_of(const uint8_t *rec, size_t fixed, uint32_t bytes)
{
    return memchr(rec + fixed, 0, bytes - fixed) ? (const char *)rec + fixed : NULL;
}

static bool
index_of(const struct decoder *d, uint32_t off, size_t n, bool is_role, uint32_t *ix)
{
    uint64_t value;

    /* Bit 32 tells the two kinds apart. */
    if (!burl_map_get(&d->at, (uint64_t)is_role << 32 | off, &value) || value >= n)
        return false;
    *ix = (uint32_t)value;
    return true;
}

static bool
read_segment(struct decoder *d, uint32_t off, uint32_t bytes)
{
    struct burl_hist_segment s = { .off = off };
    struct burl_wire_hist_segment rec;

    if (bytes < sizeof rec)
        return false;
    memcpy(&rec, d->bytes + off, sizeof rec);
    s.first = rec.first;
    s.n_sites = rec.n_sites;
    s.path = text_of(d->bytes + off, sizeof rec, bytes);
    burl_map_set(&d->at, off, d->out->segments.n);
    if (s.path)
        BURL_VEC_PUSH(&d->out->segments, s);
    return s.path != NULL;
}

static bool
read_module(struct decoder *d, uint32_t off, uint32_t bytes)
{
    struct burl_hist_module m;
    struct burl_wire_hist_module rec;

    if (bytes < sizeof rec)
        return false;
    memcpy(&rec, d->bytes + off, sizeof rec);
    m = (struct burl_hist_module){ .hash = rec.hash, .sites = rec.sites, .n_sites = rec.n_sites };
    m.name = text_of(d->bytes + off, sizeof rec, bytes);
    if (!m.name || !index_of(d, rec.segment, d->out->segments.n, false, &m.segment))
        return false;
    BURL_VEC_PUSH(&d->out->modules, m);
    return true;
}

static bool
read_role(struct decoder *d, uint32_t off, uint32_t bytes)
{
    struct burl_hist_role r;
    struct burl_wire_hist_role rec;

    if (bytes < sizeof rec)
        return false;
    memcpy(&rec, d->bytes + off, sizeof rec);
    r = (struct burl_hist_role){
        .off = off,
        .create_site = rec.create_module != 0 ? rec.create_site : UINT32_MAX,
        .first_site = rec.first_site,
        .ordinal = rec.ordinal,
        .n_threads = rec.n_threads,
        .flags = rec.flags,
        .start = rec.start,
        .create_module = rec.create_module,
        .first_module = rec.first_module,
        .path = text_of(d->bytes + off, sizeof rec, bytes),
    };
    burl_map_set(&d->at, (uint64_t)1 << 32 | off, d->out->roles.n);
    if (r.path)
        BURL_VEC_PUSH(&d->out->roles, r);
    return r.path != NULL;
}

static bool
read_overlap(struct decoder *d, uint32_t off, uint32_t bytes)
{
    struct burl_hist_overlap o;
    struct burl_wire_hist_overlap rec;

    if (bytes < sizeof rec)
        return false;
    memcpy(&rec, d->bytes + off, sizeof rec);
    if (!index_of(d, rec.a, d->out->roles.n, true, &o.a) ||
        !index_of(d, rec.b, d->out->roles.n, true, &o.b))
        return false;
    BURL_VEC_PUSH(&d->out->overlaps, o);
    return true;
}

static bool
read_chunk(struct decoder *d, uint32_t off, uint32_t bytes)
{
    struct burl_hist_chunk c = { 0 };
    struct burl_wire_hist_chunk rec;

    if (bytes < sizeof rec)
        return false;
    memcpy(&rec, d->bytes + off, sizeof rec);
    if (rec.alone > 1 || rec.n_sites > bytes - sizeof rec ||
        !index_of(d, rec.role, d->out->roles.n, true, &c.role) ||
        !index_of(d, rec.segment, d->out->segments.n, false, &c.segment))
        return false;
    c.alone = rec.alone != 0;
    c.n_sites = rec.n_sites;
    c.seen = d->bytes + off + sizeof rec;
    BURL_VEC_PUSH(&d->out->chunks, c);
    return true;
}

static enum burl_status
read_record(struct decoder *d, uint64_t off, struct burl_wire_hist_rec rec)
{
    bool ok;

    switch (rec.kind) {
    case BURL_HIST_SEGMENT:
        ok = read_segment(d, (uint32_t)off, rec.bytes);
        break;
    case BURL_HIST_MODULE:
        ok = read_module(d, (uint32_t)off, rec.bytes);
        break;
    case BURL_HIST_ROLE:
        ok = read_role(d, (uint32_t)off, rec.bytes);
        break;
    case BURL_HIST_OVERLAP:
        ok = read_overlap(d, (uint32_t)off, rec.bytes);
        break;
    case BURL_HIST_CHUNK:
        ok = read_chunk(d, (uint32_t)off, rec.bytes);
        break;
    default:
        return damaged(d, off, "unknown record");
    }
    return ok ? BURL_OK : damaged(d, off, "damaged record");
}

static enum burl_status
read_records(struct decoder *d, uint64_t off, uint64_t end)
{
    while (off + sizeof(struct burl_wire_hist_rec) <= end) {
        struct burl_wire_hist_rec rec;
        enum burl_status st;

        memcpy(&rec, d->bytes + off, sizeof rec);
        if (rec.kind == 0 && rec.bytes == 0) {
            off += sizeof rec; /* a process was killed when it had reserved the room */
            continue;
        }
        if (rec.bytes < sizeof rec || rec.bytes % 8 != 0 || rec.bytes > end - off)
            return damaged(d, off, "record of a wrong length");
        if (rec.kind != 0) { /* else killed when it had said how long it was going to be */
            st = read_record(d, off, rec);
            if (st != BURL_OK)
                return st;
        }
        off += rec.bytes;
    }
    return BURL_OK;
}

/* False: the process did not come to write one. */
static enum burl_status
read_head(struct decoder *d, size_t n, struct burl_wire_hist_head *head)
{
    static const struct burl_wire_hist_head none;

    *head = none;
    if (n >= sizeof head->magic)
        memcpy(&head->magic, d->bytes, sizeof head->magic);
    if (head->magic == 0)
        return BURL_OK;
    if (head->magic != BURL_WIRE_HIST_MAGIC || n < sizeof *head)
        return damaged(d, 0, "not a file of recorded sites");
    memcpy(head, d->bytes, sizeof *head);
    if (head->version != BURL_WIRE_HIST_VERSION || head->wire_version != BURL_WIRE_VERSION)
        return burl_err_set(d->err, BURL_E_FORMAT, 0,
                            "%s was recorded by a program that another version of burl has built; "
                            "build it again",
                            d->path);
    if (head->head_b != sizeof *head || head->used_b < sizeof *head ||
        !memchr(head->program, 0, sizeof head->program))
        return damaged(d, 0, "damaged head");
    return BURL_OK;
}

enum burl_status
burl_hist_file_decode(struct burl_hist_file *out, const void *bytes, size_t n, const char *path,
                      struct burl_err *err)
{
    struct decoder d = { .out = out, .bytes = bytes, .path = path, .err = err };
    struct burl_wire_hist_head head;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    if (n > BURL_WIRE_HIST_MAX_B)
        n = BURL_WIRE_HIST_MAX_B;
    st = read_head(&d, n, &head);
    if (st != BURL_OK || head.magic == 0)
        return st;
    out->program = (const char *)d.bytes + offsetof(struct burl_wire_hist_head, program);
    out->pid = head.pid;
    out->partial = head.lost[BURL_HIST_LOST_CHUNKS] != 0 || head.lost[BURL_HIST_LOST_MODULES] != 0;
    st = read_records(&d, sizeof head, head.used_b < n ? head.used_b : n);
    burl_map_deinit(&d.at);
    if (st != BURL_OK)
        burl_hist_file_deinit(out);
    return st;
}
