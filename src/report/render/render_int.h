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
/* "lock m", "join T1": what a thread is blocked in. */
void burl__report_put_wait(struct burl_buf *out, const struct burl_finding_wait *wait);
/* race.c: the sections of a race; nothing for other kinds. */
void burl__report_render_race(const struct burl__report_text *t);

/* The interleaving with the threads as columns. */
void burl__report_render_steps(const struct burl_finding *f, const struct burl_report_style *style,
                               struct burl_buf *out);

/* fold.c: the rows of a short report, to be freed; their texts belong to the finding. */
struct burl_finding_step *burl__report_fold(const struct burl_finding *f, size_t *n);

#endif
