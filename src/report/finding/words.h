/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/words.h - operations, places and threads in words.
 */
#ifndef BURL_REPORT_WORDS_H
#define BURL_REPORT_WORDS_H

#include "report/finding/walk.h"
#include "report/text/text.h"

/* ---- phrase.c ---------------------------------------------------------------------- */

/* What the operation acts on: variable or object name, "" unknown. */
void burl__report_what(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                       struct burl_buf *out);
/* The operation in words: "read balance = 100", "lock m (blocked)". */
void burl__report_phrase(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                         struct burl_buf *out);
/* The words for a pending operation: a barrier waits for the other threads in its second half. */
const char *burl__report_pending_words(uint8_t kind);
/* A pending operation in words: "write balance", "lock m". */
void burl__report_pending(const struct burl__report_walk *w, uint8_t kind, uint32_t site,
                          uint64_t addr, struct burl_buf *out);
/* The same after "before" or "blocks in": "write of balance", "lock(m)", "join(T1)". `joined` is
 * BURL_TID_NONE when it is no join or not known. */
void burl__report_pending_call(const struct burl__report_walk *w, uint8_t kind, uint32_t site,
                               uint64_t addr, uint16_t joined, struct burl_buf *out);

/* ---- place.c ------------------------------------------------------------------------ */

/* Is it the function that the thread is named after? */
bool burl__report_is_start(const struct burl_finding_thread *t, const char *func);
struct burl_finding_loc burl__report_loc(struct burl_finding_pool *pool,
                                         const struct burl_sites *sites, uint32_t site);
/*
 * Adds words, in the format of burl__text_vformat(), with these conversions:
 *     %T  a thread (unsigned): "T1 deposit"
 *     %L  a place (const struct burl_finding_loc *): "bank.c:40", "an unknown place"
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

/* The text of a source line without white space around it, "" unknown. */
const char *burl__report_source(struct burl_finding_pool *pool, const struct burl_sites *sites,
                                const struct burl_site_info *site);

/* ---- suspects.c --------------------------------------------------------------------- */

/* "hits: read at f.c:3 in get and write at f.c:9 in add" */
void burl__report_put_suspect(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                              struct burl_buf *out);

/* The memory of an access that is not in the trace; its stack, outermost frame first. */
void burl__report_put_memory(const struct burl__report_walk *w, uint32_t site, uint64_t addr,
                             const struct burl__report_frame *frames, size_t n,
                             struct burl_buf *out);

/* What to call a variable that the compiler makes for `for (x : list)`; NULL for others. */
const char *burl__report_loop_name(const char *variable);

/* What the runtime writes before the type of an exception that is current in abort(). */
#define BURL_EXCEPTION "exception of type "

/* Did the execution end with an exception that no handler caught? In the other aborts with an
 * exception the program calls abort() itself, in a handler. */
bool burl__report_is_uncaught(const struct burl_wire_verdict *v, const struct burl_sites *sites);

#endif
