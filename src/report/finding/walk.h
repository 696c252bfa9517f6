/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/walk.h - the trace of an execution, replayed, and the names in it.
 *
 * walk.c replays the trace once and knows, at its end, the stack, locks and name of every thread,
 * and the name of each sync object. A finding owns its strings (pool.c).
 */
#ifndef BURL_REPORT_WALK_H
#define BURL_REPORT_WALK_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/finding/finding.h"
#include "report/report.h"

/* ---- pool.c: memory of a finding --------------------------------------------------- */

struct burl_finding_pool {
    BURL_VEC_OF(void *);
};

void *burl__report_alloc(struct burl_finding_pool *pool, size_t n, size_t size_b); /* zeroed */
const char *burl__report_str(struct burl_finding_pool *pool, const char *s);       /* "" for NULL */
/* The name of a file, which stays on one line of a report: '?' for control characters. */
const char *burl__report_file(struct burl_finding_pool *pool, const char *name);
/* "1 operation", "31 operations" */
const char *burl__report_skip_text(struct burl_finding_pool *pool, uint64_t n);
/* The text of a buffer, which is deinitialized. */
const char *burl__report_take(struct burl_finding_pool *pool, struct burl_buf *b);
const char *burl__report_fmt(struct burl_finding_pool *pool, const char *fmt, ...)
    BURL_PRINTF(2, 3);

/* ---- names.c ----------------------------------------------------------------------- */

/* A sync object of the program and its name in the source. */
struct burl__report_object {
    uint64_t addr;
    const char *noun; /* "mutex", "condition variable", ... */
    char *expr;       /* expression of its first use, NULL unknown */
    char *symbol;     /* name of the global it is, or "mutex in <global>"; NULL no global */
    bool several;     /* later uses had other expressions */
    bool same_field;  /* which all end in the same member */
    char *member;     /* "Account::m", NULL unknown or not the same for all uses */
    char *owner;
    uint32_t offset_b;
    bool no_member;   /* the uses disagreed */
    bool exact;       /* symbol is the name of this object and of nothing else */
    char *name;       /* final, after burl__report_objects_name() */
};

struct burl__report_objects {
    BURL_VEC_OF(struct burl__report_object);
    struct burl_map map;     /* address to index + 1 */
    struct burl_map visited; /* (address, site) pairs whose source was read */
};

struct burl__report_walk;

/* The objects of the event; their names come with burl__report_objects_note(). */
void burl__report_objects_add(struct burl__report_walk *w, const struct burl_wire_event *ev);
/* What the event says about names, with the stacks as they are then. */
void burl__report_objects_note(struct burl__report_walk *w, const struct burl_wire_event *ev);
/* An object known from the verdict alone. */
void burl__report_objects_note_wait(struct burl__report_walk *w, const struct burl_wire_wait *wait);
/* A lock of one side of a race. */
void burl__report_objects_note_lock(struct burl__report_walk *w, const struct burl_wire_side *side,
                                    const struct burl_wire_lock *l);
void burl__report_objects_name(struct burl__report_walk *w);
/* Never NULL; "" when the address is no known object. */
const char *burl__report_object_name(const struct burl__report_objects *o, uint64_t addr);
/* A mutex or the like, whose bytes only the thread library uses: no futex, no once flag. */
bool burl__report_is_library_object(const struct burl__report_objects *o, uint64_t addr);
void burl__report_objects_deinit(struct burl__report_objects *o);

/* "SIGSEGV", or NULL. */
const char *burl__report_signal_name(int sig);

/* ---- source.c: names as the source line spells them ---------------------------------- */

/* `name`, a variable of the site, with the indices the source has: `table[i].state` for
 * `table[].state`. As it is when the line does not tell. */
void burl__report_put_spelled(const struct burl_sites *sites, uint32_t site, const char *name,
                              struct burl_buf *out);
/* Appends a thread-local variable of C++, which the site names by a function that the compiler
 * adds; false for other names. */
bool burl__report_put_thread_local(const char *name, struct burl_buf *out);
/* Appends the object of a method call: `c_` of `c_.wait(g)`; false when the call is none. */
bool burl__report_receiver(const struct burl_sites *sites, const struct burl_site_info *site,
                           struct burl_buf *out);

/* The function of a site as a person writes it: `std::vector<int>::push_back`, `main::lambda:37`;
 * its own name is what it is known by (base/shortname.h). Caller frees. */
char *burl__report_func_name(const struct burl_sites *sites, const struct burl_site_info *site);

/* ---- values.c: values of accesses ---------------------------------------------------- */

/* What is known about the value before an access. */
enum burl__report_old {
    BURL__OLD_UNKNOWN = 0, /* it may be the rest of something earlier */
    BURL__OLD_KNOWN,
    BURL__OLD_UNINITIALIZED
};

struct burl__report_block {
    uint64_t addr;
    uint64_t size_b;
    size_t event;
    bool zeroed;
};

struct burl__report_values {
    uint8_t *old;         /* enum burl__report_old of each event */
    struct burl_map last; /* address to the last access + 1 */
    BURL_VEC(struct burl__report_block) blocks;
};

void burl__report_values_learn(struct burl__report_walk *w, size_t event);
void burl__report_values_deinit(struct burl__report_values *v);
/* The value as a person would write it; `type` is enum burl_wire_value. */
void burl__report_value(struct burl_buf *out, uint64_t value, uint8_t size_b, uint8_t type);
/* Does the value of the access mean something to a user? */
bool burl__report_has_values(const struct burl__report_walk *w, const struct burl_wire_event *ev);
/* enum burl__report_old */
uint8_t burl__report_old(const struct burl__report_walk *w, const struct burl_wire_event *ev);
/* " = 5", ": 4 -> 5", " = 5 (same value)" */
void burl__report_put_values(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                             struct burl_buf *out);

/* ---- access.c: names of what accesses touch ------------------------------------------ */

struct burl__report_access;
struct burl__report_frame;

/* A variable that is an object of a class, or leads to one. */
struct burl__report_root {
    char *text; /* with what comes before a member: "q.", "p->" */
    uint64_t owner; /* hash of its class */
    uint64_t base;
    uint64_t reach;  /* it is larger than this: the offset of its last known member */
    bool ambiguous;  /* the object has other names, or other objects have this name */
};

struct burl__report_met {
    uint64_t owner; /* hash of the class */
    uint64_t base;
};

struct burl__report_accesses {
    BURL_VEC(struct burl__report_access) list;
    uint32_t *of_event;       /* index + 1 in list, 0 none */
    struct burl_map by_stack; /* site and functions to index + 1 */
    struct burl_map by_place; /* site and address to index + 1 */
    struct burl_map objects;  /* class and address to the number of the object */
    struct burl_map owners;   /* class to how many */
    BURL_VEC(struct burl__report_root) roots;
    struct burl_map met; /* (class, object) to 1 */
    BURL_VEC(struct burl__report_met) objects_met; /* with those that are variables */
};

/* Names the memory of an access, with the stack as it is now. */
void burl__report_access_learn(struct burl__report_walk *w, size_t event);
/* Appends that name; false when there is no better one than the site's. `event`: SIZE_MAX for an
 * access that is not in the trace. */
bool burl__report_put_access(const struct burl__report_walk *w, uint32_t site, uint64_t addr,
                             uint64_t size_b, size_t event, struct burl_buf *out);
/* The same of one side of a race, which is `event` of the trace, or SIZE_MAX: then `frames` are its
 * stack, outermost first. `brief`: without the library function. */
bool burl__report_put_side_access(const struct burl__report_walk *w,
                                  const struct burl_wire_side *side, size_t event,
                                  const struct burl__report_frame *frames, size_t n, bool brief,
                                  struct burl_buf *out);
void burl__report_accesses_deinit(struct burl__report_accesses *l);

/* ---- walk.c: the trace, replayed --------------------------------------------------- */

struct burl__report_held {
    uint64_t addr;
    uint32_t site;
    uint32_t step;
    uint32_t depth;
    uint8_t op; /* enum burl_wire_op that took it */
};

struct burl__report_frame {
    uint32_t func; /* FUNC site */
    uint32_t call; /* where its caller called it, 0 unknown */
    uint32_t last; /* its own last visible operation, 0 none */
    size_t entered; /* event of its entry */
};

struct burl__report_thread {
    bool seen;
    bool started; /* its START is in the trace */
    bool finished;
    uint16_t creator;
    uint32_t create_site;
    char *name;         /* of the function it started in, NULL unknown */
    uint32_t last_site; /* of its last visible operation, in the user's code */
    uint64_t n_ops;
    uint64_t cond_mutex; /* released by its COND_WAIT */
    uint32_t cond_site;
    BURL_VEC(struct burl__report_frame) stack; /* outermost first, as far as the trace knows */
    uint32_t unknown_depth; /* frames below the first known one */
    BURL_VEC(struct burl__report_held) held;
};

struct burl__report_walk {
    const struct burl_run *run;
    const struct burl_sites *sites;
    struct burl__report_thread *threads; /* by tid */
    size_t n_threads;
    struct burl__report_objects objects;
    struct burl__report_accesses accesses;
    struct burl__report_values values;
    uint32_t *user_site; /* per event: its site, or the user's function that called the library */
    uint64_t n_ops;
    /* The heap block the verdict is about. */
    bool block_known;
    uint64_t block_addr;
    uint64_t block_size_b;
    size_t block_alloc; /* event index, SIZE_MAX not in the trace */
    size_t block_free;
    size_t side_event[2]; /* the accesses of a race, SIZE_MAX not in the trace */
};

/* Called for each event, in order, with the state after it. */
typedef void (*burl__report_walk_fn)(struct burl__report_walk *w, size_t event, void *arg);

/* Replays all events; burl__report_walk_deinit() frees. `fn` may be NULL. */
void burl__report_walk_init(struct burl__report_walk *w, const struct burl_run *run,
                            const struct burl_sites *sites);
void burl__report_walk_run(struct burl__report_walk *w, burl__report_walk_fn fn, void *arg);
void burl__report_walk_deinit(struct burl__report_walk *w);
/* The thread, or NULL when the trace has none of that number. */
struct burl__report_thread *burl__report_walk_thread(const struct burl__report_walk *w,
                                                     uint16_t tid);
/* "main", "worker", or "" */
const char *burl__report_thread_name(const struct burl__report_walk *w, uint16_t tid);
/* True for operations a person would count: not enter, leave and the like. */
bool burl__report_is_op(uint8_t kind);
bool burl__report_is_sync(uint8_t kind);
bool burl__report_is_write(uint8_t kind);
bool burl__report_is_access(uint8_t kind);
/* Bytes an access touches, bounded. */
uint64_t burl__report_extent(const struct burl_wire_event *ev);
/* The innermost of `n` frames (outermost first) that is the user's own; 0 when there is none. */
uint32_t burl__report_user_frame(const struct burl_sites *sites,
                                 const struct burl__report_frame *frames, size_t n);
/* Functions on a stack of the wire. */
size_t burl__report_depth(const uint32_t stack[BURL_WIRE_MAX_STACK]);
/* The same as frames, outermost first; how many. */
size_t burl__report_wire_frames(const struct burl_sites *sites,
                                const uint32_t stack[BURL_WIRE_MAX_STACK],
                                struct burl__report_frame frames[BURL_WIRE_MAX_STACK + 1]);
/* What the thread waits for according to the verdict, NULL when it has none. */
const struct burl_wire_wait *burl__report_wait_of(const struct burl_wire_verdict *v, uint16_t tid);
/* Sides of the verdict: 2 or 0. */
size_t burl__report_n_sides(const struct burl_wire_verdict *v);

#endif
