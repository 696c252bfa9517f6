/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/libfn.c - looks up functions of libraries in the table of wire/libfn.def.
 */
#include "base/libfn.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "wire/site.h"

/* Facts of a row. */
#define ACCESS(args, flags, ...) .n_args = args, .how = (flags), .access = { __VA_ARGS__ }
#define FORMAT(args, what, arg, ...)                                                           \
    .n_args = args, .how = BURL_FN_CALL | BURL_FN_MORE_ARGS | BURL_FN_##what, .format = (arg), \
    .access = { __VA_ARGS__ }
#define PTR(words) .pointers = words
#define STATE(which, how) .state = BURL_HIDDEN_##which | how
#define LOCK(what, arg, type) \
    .lock = BURL_FN_LOCK_##what, .lock_arg = (arg), .lock_type = BURL_FN_##type
#define THREAD(role) .thread = BURL_FN_##role
#define SYNC(what) .sync = BURL_FN_SYNC_##what
#define OPENS(arg, how) .opens = 1 + (arg), .open_how = 1 + (how)
#define READS_NAME(arg) .opens = 1 + (arg)
#define IS(traits) .is = (traits)

/* Accesses. */
#define RANGE(kind, ...) { BURL_SITE_RANGE_##kind, __VA_ARGS__ }
#define NONE { 0 }
#define READ(arg, ext) RANGE(READ, arg, BURL_EXT_##ext, 0, 0, 0)
#define WRITE(arg, ext) RANGE(WRITE, arg, BURL_EXT_##ext, 0, 0, 0)
#define READ_N(arg, n) RANGE(READ, arg, BURL_EXT_FIXED, n, 0, 0)
#define WRITE_N(arg, n) RANGE(WRITE, arg, BURL_EXT_FIXED, n, 0, 0)
#define WRITE_AT(arg, at, n) RANGE(WRITE, arg, BURL_EXT_FIXED, n, at, 0)
#define WRITE_VIA(arg, at, then, n) RANGE(WRITE, arg, BURL_EXT_VIA, n, at, then)
#define READ_TREE(arg) RANGE(READ, arg, BURL_EXT_TREE, NODE_B, 0, 0)
#define WRITE_RESULT(ext, n) RANGE(WRITE, BURL_FN_RESULT, BURL_EXT_##ext, n, 0, 0)
#define WRITE_AFTER(arg, n) RANGE(WRITE, arg, BURL_EXT_FIXED_AFTER, n, 0, 0)
#define WRITE_OK(arg, n) RANGE(WRITE, arg, BURL_EXT_FIXED_OK, n, 0, 0)
#define WRITE_DONE(arg, n) RANGE(WRITE, arg, BURL_EXT_FIXED_DONE, n, 0, 0)
#define WRITE_FAILED(arg, n) RANGE(WRITE, arg, BURL_EXT_FIXED_FAILED, n, 0, 0)
#define WRITE_TIMES(arg, n) RANGE(WRITE, arg, BURL_EXT_RET_TIMES_N, n, 0, 0)

/* libstdc++: color, parent, left, right; the head of a tree has the same. */
#define NODE_B 32
/* struct tm, the C library's own members included; struct stat; struct sigaction */
#define TM_B 56
#define STAT_B 144
#define SIGACTION_B 152

/* The words of the rows. */
enum {
    CALL = BURL_FN_CALL,
    FOLD = BURL_FN_FOLD,
    MORE_ARGS = BURL_FN_MORE_ARGS,
    KEEPS = BURL_FN_KEEPS,
    PARTIAL = BURL_FN_PARTIAL,
    IN_GUARD = BURL_FN_IN_GUARD,
    EVERY = BURL_FN_EVERY,
    SILENT = 0,
    CHANGES = BURL_HIDDEN_CHANGES,
    UNSAFE = BURL_HIDDEN_CHANGES | BURL_HIDDEN_UNSAFE,
    UNSAFE_READ = BURL_HIDDEN_UNSAFE,
    STREAM = BURL_FN_STREAM,
    SEEN = BURL_FN_SEEN,
    VA_LIST = BURL_FN_VA_LIST,
    NO_SITE = BURL_FN_NO_SITE,
    ASSERTION = BURL_FN_ASSERTION,
    RESERVED = BURL_FN_RESERVED,
    THROWS = BURL_FN_THROWS,
    JUMPS = BURL_FN_JUMPS,
    CANCELS = BURL_FN_CANCELS,
    SHARES = BURL_FN_SHARES,
    SENDS = BURL_FN_SENDS,
    AT_EXIT = BURL_FN_AT_EXIT,
    EXITS = BURL_FN_EXITS,
    HANDLER = BURL_FN_HANDLER,
    INERT = BURL_FN_INERT,
    WRITES_NOTHING = BURL_FN_WRITES_NOTHING,
    CHANNEL = BURL_FN_CHANNEL,
    SIZED = BURL_FN_SIZED,
    POINTER_OK = BURL_FN_POINTER_OK,
    TOOLCHAIN = BURL_FN_TOOLCHAIN,
    LINKED_IN = BURL_FN_LINKED_IN,
    LOADS = BURL_FN_LOADS,
    FREES = BURL_FN_FREES
};

static const struct burl_libfn rows[] = {
#define RT(function, family, order, ...) { .name = #function, __VA_ARGS__ },
#define FN(function, ...) { .name = #function, __VA_ARGS__ },
#include "wire/libfn.def"
};

static const struct burl_libfn prefixes[] = {
#define PREFIX(text, ...) { .name = text, __VA_ARGS__ },
#include "wire/libfn.def"
};

/* std::__throw_bad_alloc and its kind: do not return. */
static const struct burl_libfn throw_helper = { .pointers = "-", .is = BURL_FN_SEEN };

enum { N_ROWS = sizeof rows / sizeof rows[0], N_SLOTS = 4096 };

static_assert(N_ROWS < N_SLOTS / 2, "the hash table is too small");

static uint16_t slots[N_SLOTS]; /* 1 + index of a row, 0 free */
static pthread_once_t slots_filled = PTHREAD_ONCE_INIT;

/* Where the row of a name is, or would go. */
static uint16_t *
slot_of(const char *name)
{
    size_t i = burl_hash_end(burl_hash_str(BURL_HASH_BEGIN, name)) % N_SLOTS;

    while (slots[i] != 0 && strcmp(rows[slots[i] - 1].name, name) != 0)
        i = (i + 1) % N_SLOTS;
    return &slots[i];
}

static void
fill_slots(void)
{
    for (uint16_t i = 0; i < N_ROWS; i++)
        *slot_of(rows[i].name) = i + 1;
}

static bool
begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* "_ZSt17__throw_bad_allocv": the digits are the length. */
static bool
is_throw_helper(const char *name)
{
    if (!begins(name, "_ZSt"))
        return false;
    name += 4;
    while (isdigit((unsigned char)*name))
        name++;
    return begins(name, "__throw_");
}

/* The name between a beginning and an end, when it has both. */
static bool
strip(const char *name, const char *with, const char *end, char *out, size_t out_b)
{
    size_t n = strlen(name);
    size_t b = strlen(with);
    size_t e = strlen(end);

    if (n <= b + e || n - b - e >= out_b || !begins(name, with) || strcmp(name + n - e, end) != 0)
        return false;
    memcpy(out, name + b, n - b - e);
    out[n - b - e] = '\0';
    return true;
}

/* Adds what is not known yet. */
static void
add_facts(struct burl_libfn *f, const struct burl_libfn *from)
{
    f->is |= from->is;
    if (!f->pointers)
        f->pointers = from->pointers;
    if (f->state == 0)
        f->state = from->state;
    if (f->thread == BURL_FN_THREAD_NONE)
        f->thread = from->thread;
    if (f->sync == BURL_FN_SYNC_NONE)
        f->sync = from->sync;
    if (f->opens == 0) {
        f->opens = from->opens;
        f->open_how = from->open_how;
    }
    if (f->lock == BURL_FN_LOCK_NONE) {
        f->lock = from->lock;
        f->lock_arg = from->lock_arg;
        f->lock_type = from->lock_type;
    }
    if (f->n_args == 0 && from->n_args != 0) {
        f->name = from->name;
        f->n_args = from->n_args;
        f->how = from->how;
        f->format = from->format;
        memcpy(f->access, from->access, sizeof f->access);
    }
}

static void
add_row(struct burl_libfn *f, const char *name)
{
    const uint16_t slot = *slot_of(name);

    if (slot != 0)
        add_facts(f, &rows[slot - 1]);
}

/* name_unlocked: another thread may be in the middle of the same stream. */
static void
add_unlocked(struct burl_libfn *f, const char *locked)
{
    struct burl_libfn from = { 0 };

    add_row(&from, locked);
    if (from.is & BURL_FN_STREAM) {
        from.is &= ~(uint32_t)BURL_FN_SEEN;
        add_facts(f, &from);
    }
}

struct burl_libfn
burl_libfn(const char *name)
{
    struct burl_libfn f = { 0 };
    char plain[32];

    pthread_once(&slots_filled, fill_slots);
    add_row(&f, name);
    if (strip(name, "__", "_chk", plain, sizeof plain) ||
        strip(name, "__isoc99_", "", plain, sizeof plain) ||
        strip(name, "__isoc23_", "", plain, sizeof plain))
        add_row(&f, plain);
    else if (strip(name, "", "_unlocked", plain, sizeof plain))
        add_unlocked(&f, plain);
    if (is_throw_helper(name))
        add_facts(&f, &throw_helper);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (begins(name, prefixes[i].name))
            add_facts(&f, &prefixes[i]);
    }
    return f;
}

/* _ZSt, _ZNSt, _ZNKSt, _ZNSs (a string), _ZNSo (an ostream), _ZN9__gnu_cxx; _ZTVSt, _ZTTNSt. */
bool
burl_libfn_is_cxx(const char *name)
{
    if (!begins(name, "_Z"))
        return false;
    name += 2;
    if (begins(name, "TV") || begins(name, "TT"))
        name += 2;
    if (begins(name, "St"))
        return true;
    if (*name != 'N')
        return false;
    name += 1 + strspn(name + 1, "KVRO");
    return (name[0] == 'S' && name[1] != '\0' && strchr("tabsiod", name[1])) ||
           begins(name, "9__gnu_cxx");
}
