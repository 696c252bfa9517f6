/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/mail.h - records of executions for `burl gen` (wire/mail.h), and when they are written.
 */
#ifndef BURL_RT_MAIL_H
#define BURL_RT_MAIL_H

#include "rt/core/rt.h"

/* Public functions that are entered and left go into the log. False nearly always. */
extern bool burl_mail_logs;

/* An execution begins, or has ended so; nothing unless the order asks for mail. */
void burl__mail_begin(uint64_t seed);
struct burl_exec;
void burl__mail_finish(const struct burl_exec *e, uint64_t key);
/* The calling thread enters or leaves the function of this FUNC site. Only with burl_mail_logs. */
void burl__mail_within(uint32_t site, bool leave);
/* The thread is about to have `depth` live functions, by a return or a jump. */
struct burl_free_thread;
void burl__mail_left(const struct burl_thread *t, uint32_t depth);
void burl__mail_left_free(const struct burl_free_thread *f, uint32_t depth);

#endif
