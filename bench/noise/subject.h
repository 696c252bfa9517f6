/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subject.h - what the subjects of bench/noise share.
 *
 * Every subject is one program with its own check at the end: 0 all is well, 1 the check failed,
 * 2 usage. With -DFIXED it is the correct twin. The places that differ are written `if (TWIN)
 * ... else ...`, so that both are always compiled.
 */
#ifndef BENCH_NOISE_SUBJECT_H
#define BENCH_NOISE_SUBJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef FIXED
#define TWIN true
#else
#define TWIN false
#endif

/* Of a subject's environment, not of its check. */
static inline void
must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s failed\n", what);
        exit(3);
    }
}

static inline void
start_thread(pthread_t *t, void *(*body)(void *), void *arg)
{
    must(pthread_create(t, NULL, body, arg) == 0, "pthread_create");
}

/* Stands for the time that something outside of the program takes: a customer, a motor, a host. */
static inline void
pause_us(unsigned us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};

    nanosleep(&t, NULL);
}

/* splitmix64. */
static inline uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform enough: from..to, both included. */
static inline unsigned
random_in(uint64_t *state, unsigned from, unsigned to)
{
    return from + (unsigned)(next_random(state) % (to - from + 1));
}

/* Argument i, or the default; ends the program when it is no number in 1..max. */
static inline unsigned
argument(int argc, char **argv, int i, unsigned by_default, unsigned max)
{
    char *end;
    unsigned long v;

    if (i >= argc)
        return by_default;
    v = strtoul(argv[i], &end, 10);
    if (*argv[i] == '\0' || *end != '\0' || v < 1 || v > max) {
        fprintf(stderr, "%s: argument %d must be a number from 1 to %u, not \"%s\"\n", argv[0], i,
                max, argv[i]);
        exit(2);
    }
    return (unsigned)v;
}

#endif
