/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/explain/pattern_int.h - what the files that explain a failure share.
 *
 *   causes.c         the trace by memory location; what the failing thread read last
 *   pattern.c        the entry; deadlocks, wakeups, heap blocks, sync objects
 *   pattern_data.c   accesses that should not have come in between
 *   pattern_order.c  data that belong together, data used too early
 *   pattern_words.c  the sentence
 *   tried.c          is it the cause? the execution with the step moved
 *   slice.c          the operations that matter
 *
 * A pattern is reported only when every clause of its sentence was seen in the trace. That the
 * order it speaks of is the cause is first a guess; it is reported when the execution was run again
 * with that order reversed, and the failure was gone. Sentences that only describe what the verdict
 * is (which thread waits for which, which one freed the block) need no such run.
 */
#ifndef BURL_REPORT_PATTERN_INT_H
#define BURL_REPORT_PATTERN_INT_H

#include "report/explain/explain.h"

/* ---- choose.c ----------------------------------------------------------------------- */

/* One weight per event, 0: not worth showing. Caller frees. */
uint8_t *burl__report_weigh(const struct burl__report_walk *w,
                            const struct burl__report_left *left);
/* The event at which the execution failed, SIZE_MAX when it is not in the trace. */
size_t burl__report_failing_event(const struct burl__report_walk *w);

/* ---- causes.c ----------------------------------------------------------------------- */

#define BURL__REPORT_MAX_READS 6u

/* All accesses that begin at one address, in order. */
struct burl__report_place {
    BURL_VEC_OF(size_t); /* events */
};

struct burl__report_causes {
    const struct burl__report_walk *w;
    const struct burl_report_facts *facts;
    unsigned n_moves;                /* executions with a step moved, so far */
    const struct burl__report_left *left;
    const size_t *next;              /* burl__report_find_neighbors() */
    struct burl_map map; /* address to index + 1 into places */
    BURL_VEC(struct burl__report_place) places;
    BURL_VEC(size_t) preemptions; /* events after which their thread was preempted, ascending */
    size_t reads[BURL__REPORT_MAX_READS]; /* of shared data, by the failing thread, latest first */
    size_t n_reads;
};

static inline const struct burl_wire_event *
causes_event(const struct burl__report_causes *c, size_t i)
{
    return &c->w->run->events[i];
}

void burl__report_causes_init(struct burl__report_causes *c, const struct burl__report_walk *w,
                              const struct burl_finding *f, const struct burl__report_left *left,
                              const size_t *next);
void burl__report_causes_deinit(struct burl__report_causes *c);
/* The accesses of an event's address; NULL when it is no access. */
const struct burl__report_place *burl__report_place_of(const struct burl__report_causes *c,
                                                       size_t event);
/* How many accesses of the place come before the event; they are in order. A long execution has
 * hundreds of thousands of one place, and each may be asked about. */
size_t burl__report_accesses_before(const struct burl__report_place *p, size_t event);
/* The last write to the event's address before it, SIZE_MAX none. */
size_t burl__report_reads_from(const struct burl__report_causes *c, size_t event);
/* The first successful write of thread `tid` (BURL_TID_NONE: of any) to the event's address after
 * event `from`, SIZE_MAX none. */
size_t burl__report_next_write(const struct burl__report_causes *c, size_t event, uint16_t tid,
                               size_t from);
/* Is it a read of memory that another thread writes? */
bool burl__report_reads_shared(const struct burl__report_causes *c, size_t event);
/* Was the thread of `from` preempted after it and before `to`? *pending: the preemption came right
 * before that thread's operation `to`. */
bool burl__report_preempted_between(const struct burl__report_causes *c, size_t from, size_t to,
                                  bool *pending);
/* Has the memory at the event's address been allocated or freed between the two? */
bool burl__report_reused(const struct burl__report_causes *c, size_t from, size_t to);
/* The last event of thread `tid` before event `i`, SIZE_MAX none. */
size_t burl__report_last_of(const struct burl__report_causes *c, uint16_t tid, size_t i);
bool burl__report_is_read(uint8_t kind);
bool burl__report_is_done_write(const struct burl_wire_event *ev);

/* ---- pattern_words.c --------------------------------------------------------------- */

#define BURL__REPORT_MAX_WORDS 16u
#define BURL__REPORT_MAX_ORDERS 4u

/* Two operations of different threads whose order the sentence blames. */
struct burl__report_order {
    size_t first;  /* event */
    size_t second; /* event; SIZE_MAX: not in the trace, the pending operation of thread `tid` */
    uint16_t tid;  /* of the second */
    uint32_t op;   /* its number */
    bool on;       /* not this operation alone: the thread should have continued */
    bool ahead;    /* no other operation should have come before it since the first */
    bool or_on;    /* it is enough that the failure disappears when the thread continues */
};

/*
 * A sentence under construction. Events and sites are declared before the first word is added, so
 * that places can be "line 40" when all are in the file of the failure.
 */
struct burl__report_sentence {
    const struct burl__report_walk *w;
    struct burl_finding *f;
    struct burl_buf out;
    const char *kind;
    size_t events[BURL__REPORT_MAX_WORDS];
    size_t n_events;
    const char *file; /* of all places so far */
    bool several;     /* files */
    bool unknown;     /* a place without a line: no sentence */
    bool vague;       /* a place of which only the function is known */
    bool nameless;    /* memory that has no name */
    struct burl__report_order orders[BURL__REPORT_MAX_ORDERS]; /* that it blames */
    size_t n_orders;
};

static inline const struct burl_wire_event *
sentence_event(const struct burl__report_sentence *s, size_t i)
{
    return &s->w->run->events[i];
}

/* Begins anew; `n_events` events of type size_t, which the sentence names, follow. */
void burl__sentence_begin(struct burl__report_sentence *s, const char *kind, size_t n_events, ...);
void burl__sentence_use_event(struct burl__report_sentence *s, size_t event);
void burl__sentence_use_site(struct burl__report_sentence *s, uint32_t site);
/*
 * Adds words, in the format of burl__text_vformat(), with these conversions:
 *     %T  the thread of an event (size_t): "T2", "main"
 *     %I  a thread by its number (unsigned)
 *     %O  the variable or object of an event
 *     %L  the place of an event: " at line 40", " in push"
 *     %S  the same of a site (uint32_t)
 *     %H  " since line 10" (const struct burl_finding_loc *), where a lock was taken
 */
void burl__sentence_add(struct burl__report_sentence *s, const char *fmt, ...);
/* "at line 8 and its write at line 9" is "... and write at line 8" when both are on one line. */
bool burl__report_same_line(const struct burl__report_sentence *s, size_t a, size_t b);
/* "check" where the source line decides something, else "read". */
const char *burl__report_read_word(const struct burl__report_sentence *s, size_t event);

/* ---- tried.c ------------------------------------------------------------------------- */

/* Blames that event `first` came before event `second`. */
void burl__sentence_blame(struct burl__report_sentence *s, size_t first, size_t second);
/* Blames that other threads came between two operations of one thread, the first of them with event
 * `from`, the last with event `to`. */
void burl__sentence_blame_between(struct burl__report_sentence *s, size_t first, size_t from,
                                size_t to, size_t second);
/* The same for the pending operation of the thread of event `last`, which was preempted forever or
 * for too long; `preemption`: blames the preemption of that thread itself. */
void burl__sentence_blame_pending(struct burl__report_sentence *s, size_t first, size_t last,
                                  bool preemption);
/* Accepts a broader test for the orders blamed so far: reversing them may need more operations of
 * the second thread, as with symmetric threads that disturb each other. */
void burl__sentence_blame_broadly(struct burl__report_sentence *s);
/* Must event `a` come before event `b`, because of create or join? */
bool burl__report_is_forced(const struct burl__report_causes *c, size_t a, size_t b);
/* Whether the sentence holds: all its places are known, and reversing each blamed order makes the
 * failure disappear. */
bool burl__sentence_confirm(struct burl__report_causes *c, struct burl__report_sentence *s);

/* ---- recognizers: true when they have a sentence ------------------------------- */

bool burl__report_pattern_data(struct burl__report_causes *c, struct burl__report_sentence *s);
bool burl__report_pattern_stale(struct burl__report_causes *c, struct burl__report_sentence *s);
bool burl__report_pattern_aba(struct burl__report_causes *c, struct burl__report_sentence *s);
bool burl__report_pattern_recheck(struct burl__report_causes *c, struct burl__report_sentence *s);
bool burl__report_pattern_together(struct burl__report_causes *c, struct burl__report_sentence *s);
bool burl__report_pattern_early(struct burl__report_causes *c, struct burl__report_sentence *s);
bool burl__report_pattern_half_done(struct burl__report_causes *c, struct burl__report_sentence *s);

/* pattern.c: fills f->pattern; *events: those of the sentence, owned by the caller. */
void burl__report_pattern(struct burl_finding *f, struct burl__report_causes *c, size_t **events,
                          size_t *n_events);

/* slice.c: clears the weights of irrelevant operations. */
void burl__report_slice(const struct burl_finding *f, struct burl__report_causes *c,
                        const size_t *roots, size_t n_roots, uint8_t *weight);

#endif
