/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl_record.c - the fixed part of the recorder: runs a seed, and writes down the calls that it
 * makes of the library.
 *
 * Runs in the target, without hooks. The runtime adds what happens inside a call (its observer
 * RECORD). Other threads and forked processes are not recorded; the runtime notes each thread, and
 * the host refuses a seed that creates one itself.
 *
 * In a test nothing is written down; but a seed that is to be stopped at a call (burl_stop.c) tells
 * its calls here, too.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "burl_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burl_driver.h"
#include "burl_record_wire.h"
#include "burl_stop.h"

#define MAX_STRING 65536

void *__burl_mail_record(size_t body_b, uint32_t log_max);
void __burl_record_begin(void *area, size_t size_b);
int __burl_record_here(void);
void __burl_record_put(const struct burl_record_event *e);
void __burl_record_bytes(const void *p, size_t n);
void __burl_record_inside(int inside);
int burl_r_run(const struct burl_mail_test *test);

extern char __executable_start;
extern char __data_start;
extern char _end;

static struct burl_record_head *head;
static __thread unsigned depth; /* public functions that are running */
static const char *frame;       /* stack of the client call */

static void
put(uint16_t kind, uint32_t site, uint64_t addr, uint64_t size_b, uint64_t value)
{
    struct burl_record_event e = { kind, 0, site, addr, size_b, value };

    __burl_record_put(&e);
}

/* Test frameworks leave a call by longjmp(), out of a callback say. Its frame is gone when another
 * call begins at the same place of the stack or above it. */
static void
notice_jump(const char *now)
{
    if (depth == 0 || frame == NULL || now < frame || !__burl_record_here())
        return;
    depth = 0;
    __burl_record_inside(0);
    put(BURL_RECORD_JUMP, 0, 0, 0, 0);
}

int
burl_r_enter(uint32_t fn, uint32_t n_args)
{
    const char *now = __builtin_frame_address(0);

    notice_jump(now);
    if (depth++ > 0 || (head == NULL ? !burl_s_is_running() : !__burl_record_here()))
        return 0;
    frame = now;
    if (head == NULL)
        burl_s_enter(fn);
    else
        put(BURL_RECORD_ENTER, fn, 0, n_args, 0);
    return 1;
}

void
burl_r_arg(uint32_t param, const void *value, size_t size_b, size_t object_b)
{
    uint64_t bits = 0;

    if (head == NULL) {
        burl_s_arg(param, value);
        return;
    }
    memcpy(&bits, value, size_b < sizeof bits ? size_b : sizeof bits);
    put(BURL_RECORD_ARG, param, size_b, object_b, bits);
}

void
burl_r_bytes(uint32_t param, const void *p, size_t n)
{
    if (head == NULL || p == NULL || n > MAX_STRING)
        return;
    put(BURL_RECORD_BYTES, param, 0, n, 0);
    __burl_record_bytes(p, n);
}

void
burl_r_string(uint32_t param, const char *s)
{
    size_t n = s != NULL ? strnlen(s, MAX_STRING) : 0;

    if (head == NULL || s == NULL || n == MAX_STRING)
        return;
    put(BURL_RECORD_BYTES, param, 1, n, 0);
    __burl_record_bytes(s, n);
}

void
burl_r_call(void)
{
    if (head == NULL)
        burl_s_call();
    else
        __burl_record_inside(1);
}

void
burl_r_out(uint32_t param, void *const *p)
{
    if (p != NULL && head == NULL)
        burl_s_out(param, *p);
    else if (p != NULL)
        put(BURL_RECORD_OUT, param, (uintptr_t)p, 0, (uintptr_t)*p);
}

void
burl_r_leave(uint32_t fn, int recorded, const void *result, size_t size_b)
{
    uint64_t bits = 0;

    depth--;
    if (!recorded)
        return;
    frame = NULL;
    if (head == NULL) {
        burl_s_leave(result, size_b);
        return;
    }
    __burl_record_inside(0);
    if (result != NULL)
        memcpy(&bits, result, size_b < sizeof bits ? size_b : sizeof bits);
    put(BURL_RECORD_LEAVE, fn, 0, size_b, bits);
}

static void
seed_ended(int code, void *arg)
{
    (void)arg;
    head->ended = 1;
    head->code = code;
}

void
burl_r_left(void)
{
    depth = 0;
}

int
burl_r_words(char **argv, const char *text, size_t n)
{
    char *words = burl_d_memory(n + 1);
    int argc = 1;

    memcpy(words, text, n);
    argv[0] = (char *)"seed";
    for (size_t i = 0; i < n && argc <= BURL_R_MAX_ARGS; i += strlen(words + i) + 1)
        argv[argc++] = words + i;
    return argc;
}

/* Runs the seed of the test; its arguments lie where an order of calls would. */
int
burl_r_run(const struct burl_mail_test *test)
{
    char *argv[BURL_R_MAX_ARGS + 2] = { NULL };
    int argc;
    size_t body_b = BURL_RECORD_EVENTS_B;

    if (test->seed >= burl_r_n_seeds)
        return 3;
    argc = burl_r_words(argv, (const char *)test + test->order_off, test->n_order);
    head = __burl_mail_record(body_b, 0);
    if (head == NULL)
        return 3;
    head->image = (uintptr_t)&__executable_start;
    head->data = (uintptr_t)&__data_start;
    head->data_end = (uintptr_t)&_end;
    __burl_record_begin(head, body_b);
    /* Check runs each test in a process of its own unless this says otherwise. */
    setenv("CK_FORK", "no", 0);
    on_exit(seed_ended, NULL);
    return burl_r_seeds[test->seed](argc, argv);
}
