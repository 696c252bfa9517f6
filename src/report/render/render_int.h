/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/render/render_int.h - what the files of the text renderer share.
 */
#ifndef BURL_REPORT_RENDER_INT_H
#define BURL_REPORT_RENDER_INT_H

#include "report/finding/words.h"

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

/* ---- words.c: what the text and the page share ---------------------------------------- */

#define BURL__REPORT_THREADS 8u /* of which a text shows the state at the end */

/* What is said about the cause; "" where another part of the report shows it or it is unknown. */
struct burl__report_cause {
    const char *schedule; /* which schedules fail */
    const char *needs;
    const char *pattern;
    const char *predicted;
};

/* Appends the detail, or what remains of it, to `detail`: lines, some of them indented. */
void burl__report_cause(const struct burl_finding *f, bool verbose, struct burl__report_cause *c,
                        struct burl_buf *detail);
/* Is it one of the threads that the finding is about? */
bool burl__report_is_central(const struct burl_finding_thread *th);

/* "holds m for reading, taken at bank.c:40 (step 7)" */
void burl__report_held_words(struct burl_buf *out, const struct burl_finding *f,
                             const struct burl_finding_lock *l);
/* "lock m", "join T1": what a thread is blocked in. */
void burl__report_put_wait(struct burl_buf *out, const struct burl_finding_wait *wait);
/* "blocked: lock m" */
void burl__report_state_words(struct burl_buf *out, const struct burl_finding *f,
                              const struct burl_finding_thread *th);
const char *burl__report_sides_title(const struct burl_finding *f);
/* "writes total, 4 bytes (step 39)" */
void burl__report_side_words(struct burl_buf *out, const struct burl_finding *f,
                             const struct burl_finding_side *s);
/* The memory of a race, whose kind is known. */
void burl__report_memory_words(struct burl_buf *out, const struct burl_finding *f);
/* Of enum burl_finding_outcome. */
const char *burl__report_outcome_words(uint8_t outcome);
const char *burl__report_pairs_title(const struct burl_finding *f);
/* "read x at a.c:3 in get and write x at a.c:9 in add" */
void burl__report_pair_words(struct burl_buf *out, const struct burl_finding *f,
                             const struct burl_finding_pair *p);
/* "seen 41 times, confirmed 3 of 3, found by pct ..."; verbose: engine and fingerprint too. */
void burl__report_facts_words(struct burl_buf *out, const struct burl_finding *f, bool verbose);
/* "1 finding", "1,234 findings" */
void burl__report_put_count(struct burl_buf *out, uint64_t n, const char *noun);

/* The interleaving with the threads as columns. */
void burl__report_render_steps(const struct burl_finding *f, const struct burl_report_style *style,
                               struct burl_buf *out);

/* short.c: the title in at most `max` columns. */
void burl__report_put_short(struct burl_buf *out, const struct burl_finding *f,
                            const struct burl_report_style *style, size_t max);

/* fold.c: the rows of a short report, to be freed; their texts belong to the finding. */
struct burl_finding_step *burl__report_fold(const struct burl_finding *f, size_t *n);

#endif
