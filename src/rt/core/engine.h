/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/engine.h - the interface of an engine, which carries program threads (engine/fibers.c,
 * engine/threads.c).
 */
#ifndef BURL_RT_ENGINE_H
#define BURL_RT_ENGINE_H

#include "rt.h"

/* What carries program threads. Chosen once per process. */
struct burl_engine_ops {
    /* Before the first execution, and again when more threads are wanted than it can carry. */
    void (*prepare)(uint32_t n_threads);
    /* Gives t something to run on and fills t->handle. False: none left (prepare for more). */
    bool (*spawn)(struct burl_thread *t);
    /* Runs `to` in place of `from`; returns when `from` is switched to again. */
    void (*switch_to)(struct burl_thread *from, struct burl_thread *to);
    /* The same for a thread that has ended. */
    BURL_NORETURN void (*switch_final)(struct burl_thread *from, struct burl_thread *to);
    /* Runs one execution: thread 0 from its start; returns when burl__engine->leave() was
     * called. */
    void (*run)(struct burl_thread *main_thread);
    /* Ends the execution from whatever stack we are on, a signal handler's too. */
    BURL_NORETURN void (*leave)(void);
    /* An ended and joined thread will never be asked for again. */
    void (*release)(struct burl_thread *t);
};

extern const struct burl_engine_ops burl_engine_fibers;
extern const struct burl_engine_ops burl_engine_threads;

#endif
