/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_int.h - what the files of src/report share. Nothing outside includes it.
 *
 * Order of work: walk.c replays the trace once and knows, at its end, every
 * thread's stack, locks and name, and what each sync object is called; phrase.c
 * puts single operations into words; choose.c weighs the operations, slice.c keeps those that
 * matter; title.c makes the sentences; finding.c puts the model together. The renderers
 * read the model only (the trace renderer reads the walk, since it shows
 * everything).
 */
#ifndef BURL_REPORT_REPORT_INT_H
#define BURL_REPORT_REPORT_INT_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/finding/finding.h"
#include "report/report.h"
#include "report/text/text.h"

/* ---- pool.c: memory of a finding --------------------------------------------------- */

struct burl_finding_pool {
    BURL_VEC_OF(void *);
};

void *burl__report_alloc(struct burl_finding_pool *pool, size_t n, size_t size_b); /* zeroed */
const char *burl__report_str(struct burl_finding_pool *pool, const char *s);       /* "" for NULL */
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
    char *name;       /* final, after burl__report_objects_name() */
};

struct burl__report_objects {
    BURL_VEC_OF(struct burl__report_object);
    struct burl_map map;     /* address to index + 1 */
    struct burl_map visited; /* (address, site) pairs whose source was read */
};

void burl__report_objects_note(struct burl__report_objects *o, const struct burl_sites *sites,
                               const struct burl_wire_event *ev);
/* An object known from the verdict alone. */
void burl__report_objects_note_wait(struct burl__report_objects *o, const struct burl_sites *sites,
                                    const struct burl_wire_wait *w);
/* A lock of one side of a race. */
void burl__report_objects_note_lock(struct burl__report_objects *o, const struct burl_sites *sites,
                                    const struct burl_wire_lock *l);
void burl__report_objects_name(struct burl__report_objects *o, const struct burl_sites *sites);
/* Never NULL; "" when the address is no known object. */
const char *burl__report_object_name(const struct burl__report_objects *o, uint64_t addr);
void burl__report_objects_deinit(struct burl__report_objects *o);

/* "SIGSEGV", or NULL. */
const char *burl__report_signal_name(int sig);
/* The value as a person would write it; we do not know the type, only the size. */
void burl__report_value(struct burl_buf *out, uint64_t value, uint8_t size_b);

/* ---- source.c: names as the source line spells them ---------------------------------- */

/* `name`, a variable of the site, with the indices the source has: `table[i].state` for
 * `table[].state`. As it is when the line does not tell. */
void burl__report_put_spelled(const struct burl_sites *sites, uint32_t site, const char *name,
                              struct burl_buf *out);
/* Appends the object of a method call: `c_` of `c_.wait(g)`; false when the call is none. */
bool burl__report_receiver(const struct burl_sites *sites, const struct burl_site_info *site,
                           struct burl_buf *out);

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
    struct {
        BURL_VEC_OF(struct burl__report_frame);
    } stack;                /* outermost first, as far as the trace knows */
    uint32_t unknown_depth; /* frames below the first known one */
    struct {
        BURL_VEC_OF(struct burl__report_held);
    } held;
};

struct burl__report_walk {
    const struct burl_run *run;
    const struct burl_sites *sites;
    struct burl__report_thread *threads; /* by tid */
    size_t n_threads;
    struct burl__report_objects objects;
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

/* ---- needs.c ----------------------------------------------------------------------- */

/* Fills n_spurious, n_faults and needs. */
void burl__report_needs(struct burl_finding *f, const struct burl_run *run,
                        const struct burl_sites *sites);

/* ---- switches.c, choose.c, steps.c ------------------------------------------------- */

#define BURL__REPORT_WHY_UNKNOWN 0xffu

/* Why the execution switched from the thread of event `a` to that of event `b`, the next one of
 * another thread. */
struct burl__report_left {
    uint8_t why;   /* enum burl_wire_switch_why or BURL__REPORT_WHY_UNKNOWN */
    uint8_t kind;  /* pending operation, BURL_OP_NONE unknown */
    uint32_t site; /* of the pending operation */
};

/* One entry per event: filled where the next operation is another thread's. Caller frees. */
struct burl__report_left *burl__report_find_switches(const struct burl__report_walk *w);
/* One entry per event: the same thread's next operation, or the one before; SIZE_MAX none. Caller
 * frees. */
size_t *burl__report_find_neighbors(const struct burl__report_walk *w, bool next);
/* "preempt T1 before write of balance; run T2" */
void burl__report_put_switch(const struct burl__report_walk *w, const struct burl__report_left *l,
                             size_t next_event, uint16_t tid, uint16_t next, struct burl_buf *out);

/* choose.c: one weight per event, 0: not worth showing. Caller frees. */
uint8_t *burl__report_weigh(const struct burl__report_walk *w,
                            const struct burl__report_left *left);
/* The event at which the execution failed, SIZE_MAX when it is not in the trace. */
size_t burl__report_failing_event(const struct burl__report_walk *w);

/* steps.c: fills f->steps, n_steps, n_ops_shown. */
void burl__report_choose(struct burl_finding *f, const struct burl__report_walk *w,
                         const struct burl_report_facts *facts);

/* ---- phrase.c ---------------------------------------------------------------------- */

/* What the operation acts on: variable or object name, "" unknown. */
void burl__report_what(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                       struct burl_buf *out);
/* The operation in words: "read balance = 100", "lock m (blocked)". */
void burl__report_phrase(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                         struct burl_buf *out);
/* A pending operation in words: "write balance", "lock m". */
void burl__report_pending(const struct burl__report_walk *w, uint8_t kind, uint32_t site,
                          uint64_t addr, struct burl_buf *out);
/* The same after "before" or "blocks in": "write of balance", "lock(m)", "join(T1)". `joined` is
 * BURL_TID_NONE when it is no join or not known. */
void burl__report_pending_call(const struct burl__report_walk *w, uint8_t kind, uint32_t site,
                               uint64_t addr, uint16_t joined, struct burl_buf *out);
/* A function's name without template arguments: `std::vector::push_back`. */
void burl__report_put_func(struct burl_buf *out, const char *func);

/* ---- finding.c, title.c ------------------------------------------------------------ */

/* The innermost of `n` frames (outermost first) that is the user's own; 0 when there is none. */
uint32_t burl__report_user_frame(const struct burl_sites *sites,
                                 const struct burl__report_frame *frames, size_t n);
struct burl_finding_loc burl__report_loc(struct burl_finding_pool *pool,
                                         const struct burl_sites *sites, uint32_t site);
/*
 * Adds words, in the format of burl__text_vformat(), with these conversions:
 *     %T  a thread (unsigned): "T1 deposit"
 *     %L  a place (const struct burl_finding_loc *): "bank.c:40", "an unknown place"
 *     %F  a function without template arguments (const char *): `std::vector::push_back`
 * burl__report_convert() writes one of them; `f` is the finding.
 */
void burl__report_put(struct burl_buf *out, const struct burl_finding *f, const char *fmt, ...);
void burl__report_convert(void *f, char conversion, va_list *ap, struct burl_buf *out);
/* " at bank.c:40 in deposit"; the function is not said when it is the thread's own name. */
void burl__report_put_place(struct burl_buf *out, const struct burl_finding *f, uint16_t tid,
                            const struct burl_finding_loc *loc);
/* "bank.c:40", "an unknown place" */
void burl__report_put_loc(struct burl_buf *out, const struct burl_finding_loc *loc);
/* "T1 deposit" */
void burl__report_put_thread(struct burl_buf *out, const struct burl_finding *f, uint16_t tid);
const struct burl_finding_thread *burl__report_thread_of(const struct burl_finding *f,
                                                         uint16_t tid);
/* The lock at an address, if the thread holds it at the end; else NULL. */
const struct burl_finding_lock *burl__report_held_lock(const struct burl_finding_thread *t,
                                                       uint64_t addr);
/* Innermost first, from frames that are outermost first. `at`: the exact place in the innermost
 * function, 0 unknown. */
struct burl_finding_stack burl__report_stack(struct burl_finding_pool *pool,
                                             const struct burl_sites *sites,
                                             const struct burl__report_frame *frames, size_t n,
                                             uint32_t at);
/* The same from a list of FUNC sites, innermost first and 0-terminated, of another process. */
struct burl_finding_stack burl__report_wire_stack(struct burl_finding_pool *pool,
                                                  const struct burl_sites *sites,
                                                  const uint32_t stack[BURL_WIRE_MAX_STACK],
                                                  uint32_t at);

/* race.c: the model of a race or an atomicity violation. */
/* Sides of the verdict: 2 or 0. */
size_t burl__report_n_sides(const struct burl_wire_verdict *v);
/* While the walk passes event `i`: stack and values of a side whose access it is. */
void burl__report_race_event(struct burl_finding *f, const struct burl__report_walk *w, size_t i);
/* After the walk and f->block: the rest of sides, memory, orders and pairs. */
void burl__report_race(struct burl_finding *f, const struct burl__report_walk *w,
                       const struct burl_report_facts *facts);

/* suspects.c: "hits: read at f.c:3 in get and write at f.c:9 in add" */
void burl__report_put_suspect(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                              struct burl_buf *out);

/* title_race.c */
/* What was predicted, for f->predicted; "" for races, which say it themselves. */
void burl__report_put_predicted(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                                struct burl_buf *out);
void burl__report_title_race(const struct burl_finding *f, struct burl_buf *out);
void burl__report_detail_race(const struct burl_finding *f, struct burl_buf *out);

/* Fills f->title and f->detail; everything else is there already. */
void burl__report_title(struct burl_finding *f, const struct burl__report_walk *w);

/* ---- render_*.c -------------------------------------------------------------------- */

/* What the files of the text renderer share. */
struct burl__report_text {
    const struct burl_finding *f;
    const struct burl_report_style *style;
    struct burl_buf *out;
};

/* text.c */
void burl__report_put_stack(const struct burl__report_text *t,
                            const struct burl_finding_stack *stack, unsigned indent);
/* The title of a section, without the line end. */
void burl__report_put_section(const struct burl__report_text *t, const char *name);
/* "    T1 deposit", in the color of threads */
void burl__report_put_thread_head(const struct burl__report_text *t, uint16_t tid);
/* "holds m for reading, taken at bank.c:40 (step 7)" */
void burl__report_put_held(const struct burl__report_text *t, const struct burl_finding_lock *l);
/* race.c: the sections of a race; nothing for other kinds. */
void burl__report_render_race(const struct burl__report_text *t);

/* The interleaving with the threads as columns. */
void burl__report_render_steps(const struct burl_finding *f, const struct burl_report_style *style,
                               struct burl_buf *out);

#endif
