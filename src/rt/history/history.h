/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history/history.h - recording: which site each thread role executes (wire/history.h).
 *
 * Runs in the target, in a program that has no supervisor and finds BURL_HISTORY in its
 * environment. Its threads are libc's own and run on all cores. A hook stores one byte; everything
 * else happens when a thread executes the first site of an object, when threads are created and
 * when they exit.
 *
 * A thread's bytes go into a chunk of the file, one for each role, object and answer to "does the
 * process have other threads?". The hooks of an object know the chunk by their copy of `seen`
 * (struct burl_hot); hooks that live in the library look it up in the thread's view.
 */
#ifndef BURL_RT_HISTORY_H
#define BURL_RT_HISTORY_H

#include <pthread.h>
#include <threads.h>

#include "rt/core/rt.h"
#include "rt/free/free.h"

extern bool burl_history_on;

/* From the constructor of the runtime. Without success the program runs unrecorded. */
void burl_history_start(const char *dir);

/* Hooks, when burl_history_on is set or a chunk may be missing. copy: of the calling object, or
 * NULL. */
void burl_history_mark(const struct burl_wire_site *site, struct burl_hot *copy);
void burl_history_call(const struct burl_wire_site *site, struct burl_hot *copy);
void burl_history_enter(const struct burl_wire_site *site, struct burl_hot *copy);

/* Instead of the libc originals. */
int burl_history_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                        void *arg);
int burl_history_create_c11(thrd_t *out, thrd_start_t start, void *arg);

/* Around a join or detach of any kind that succeeds; NULL: the thread is not known. */
struct burl_history_thread;
struct burl_history_thread *burl_history_find(uint64_t handle);
void burl_history_joined(struct burl_history_thread *t);
void burl_history_detached(struct burl_history_thread *t);

/* The thread is looked up first: afterwards its handle may name another. */
#define BURL_HISTORY_AROUND(done, handle, call)                                                  \
    ({                                                                                           \
        struct burl_history_thread *h_ =                                                         \
            burl_history_on ? burl_history_find((uint64_t)(handle)) : NULL;                      \
        int done_ = call;                                                                        \
                                                                                                 \
        if (BURL_UNLIKELY(h_ != NULL) && done_ == 0)                                             \
            done(h_);                                                                            \
        done_;                                                                                   \
    })

#endif
