/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history/history_int.h - what the files of this room share.
 *
 * All state of a recording process is in one private mapping; a child of fork has a copy, and only
 * the file is common to both. So records of the file name one another by offset, are appended with
 * one atomic addition, and change only in ways that are the same in whatever order they happen.
 */
#ifndef BURL_RT_HISTORY_INT_H
#define BURL_RT_HISTORY_INT_H

#include "history.h"
#include "rt/core/sys.h"
#include "wire/history.h"

#define MAX_SEGMENTS 256u
#define MAX_CHUNKS 16384u
#define MAX_COPIES 64u
#define N_HANDLES 1024u
#define NONE UINT32_MAX

/* The loaded part of an object's sites. */
struct segment {
    const struct burl_wire_site *first;
    const struct burl_wire_site *end;
    uintptr_t bias; /* of the object */
    intptr_t hot;   /* marks: of the object's __burl_hot from the thread's descriptor */
    uint32_t off;   /* of its record */
    bool marks;     /* of the record profile: the "address" of a site is 8 times that of its mark */
    bool frozen;    /* there are chunks: it grows no more */
    bool unloaded;
};

/* Part of a file in which the sites of a segment have their bytes. Never changes. */
struct chunk {
    uintptr_t first; /* sites of the segment */
    uintptr_t end;
    uintptr_t seen; /* the byte of a site is at seen + site / 8 */
    uint32_t segment;
    uint32_t next; /* of the same role */
    bool alone;
};

struct role {
    uintptr_t start;
    uintptr_t start_bias;                /* of the file that has it */
    const struct burl_wire_site *create; /* compared, never followed */
    uint32_t off;                        /* of its record */
    uint32_t ordinal;
    uint32_t n_created; /* the first of a key: threads of all its roles */
    uint32_t alive;     /* threads of this process that were not joined */
    uint32_t chunks;    /* index of the first; NONE */
    bool retired;       /* the file of its routine or site was unloaded: no thread is added */
};

struct burl_history_thread {
    uint64_t number; /* of the threads of this process; 0: unused */
    uint32_t role;
    bool entered; /* a hook was called */
    bool detached;
    bool exited;
    bool masked; /* it begins with all signals blocked, and `mask` is its own */
    uint64_t mask;
    uint32_t end_rounds;
    uint64_t handle; /* pthread_t; 0: not in the table */
    uintptr_t self;  /* the thread's descriptor; 0: it has not begun */
    const struct burl_wire_site *call_site; /* of the last call out of instrumented code */
    const struct chunk *view;               /* of the segment that was looked up last; NULL */
    struct {
        struct burl_hot *copy;
        uint32_t segment;
    } copies[MAX_COPIES];
    uint32_t n_copies;
    void *(*start)(void *);
    int (*start_c11)(void *);
    void *arg;
    struct burl_history_thread *next;      /* running ones, or unused ones */
    struct burl_history_thread *same_hash; /* in the table of handles */
};

struct burl_history {
    uint32_t lock;
    uint32_t pid;
    uint32_t n_alive; /* threads of this process that were not joined, with main */
    uint32_t n_segments;
    uint32_t n_roles;
    uint32_t n_chunks;
    uint64_t n_threads; /* ever */
    uint64_t n_unloads; /* of the dynamic linker, when segments were last compared */
    struct burl_history_thread *running;
    struct burl_history_thread *unused;
    struct burl_history_thread *handles[N_HANDLES];
    struct segment segments[MAX_SEGMENTS];
    struct role roles[BURL_WIRE_HIST_ROLES];
    struct chunk chunks[MAX_CHUNKS];
    uint8_t overlap[BURL_WIRE_HIST_ROLES][BURL_WIRE_HIST_ROLES / 8]; /* known; row <= column */
    /* file.c */
    struct burl_wire_hist_head *head; /* the mapped file */
    uint64_t map_b;
    uint64_t file_b; /* that the file has at least */
    char path[BURL_WIRE_HIST_PATH_B];
};

extern struct burl_history *burl__history;

static inline void
burl__history_lock(uint64_t *mask)
{
    burl__signal_lock(&burl__history->lock, mask);
}

static inline void
burl__history_unlock(uint64_t mask)
{
    burl__signal_unlock(&burl__history->lock, mask);
}

/* ---- file.c ------------------------------------------------------------------------------ */

/* Memory of our own, zeroed; NULL: there is none. */
void *burl__history_map(size_t n);
/* An absolute path, in the buffer if it is not absolute; "" stays so. */
const char *burl__history_absolute(const char *path, char buffer[BURL_WIRE_HIST_PATH_B]);
/* Creates and maps the file. */
bool burl__history_create_file(const char *dir);
/* Appends a record with `fixed` bytes and a string (may be NULL), or with `extra` zero bytes; all
 * but its head are the caller's to fill before burl__history_publish(). NULL: there is no room,
 * which is counted as `lost`. */
void *burl__history_append(size_t fixed, const char *text, size_t extra,
                           enum burl_wire_hist_lost lost);
/* The record is complete. */
uint32_t burl__history_publish(void *record, enum burl_wire_hist_kind kind);
void burl__history_lose(enum burl_wire_hist_lost what);

static inline void *
burl__history_record(uint32_t off)
{
    return (char *)burl__history->head + off;
}

/* ---- chunks.c ----------------------------------------------------------------------------- */

/* The calling thread, which is given a role if it has none yet. NULL: it has exited. */
struct burl_history_thread *burl__history_self(void);
/* With the lock: a thread's copies and view as its role and the number of threads want them. */
void burl__history_switch(struct burl_history_thread *t);
/* With the lock: fills its copies for marks; it has just begun. */
void burl__history_lead_marks(struct burl_history_thread *t);
extern const struct burl_wire_site *burl__history_no_call;
/* Without the lock, before a switch: forgets copies in objects that were unloaded. */
void burl__history_compare_objects(void);

/* ---- threads.c ---------------------------------------------------------------------------- */

extern __thread struct burl_history_thread *burl__history_me
    __attribute__((tls_model("initial-exec")));
/* Of a thread that has exited as far as we are concerned, plus 1. */
extern __thread uint32_t burl__history_past_role __attribute__((tls_model("initial-exec")));

/* The first thread. False: no memory. */
bool burl__history_init_main(void);
/* A thread that was not created by way of us. */
struct burl_history_thread *burl__history_adopt(void);

static inline bool
burl__history_is_alone(void)
{
    return burl__history->n_alive <= 1;
}

#endif
