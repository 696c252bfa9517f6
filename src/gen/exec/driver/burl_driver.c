/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl_driver.c - the fixed part of a driver: takes the test that lies in the control block, runs
 * it once, and puts down what came of it.
 *
 * Runs in the target, without hooks: nothing here is a scheduling point or an access that a
 * detector sees, so the only order it adds between the threads of a test is that of creating and
 * joining them. Memory for arguments is made before the first call and never given back, so that an
 * API that keeps a pointer is not blamed for it; each block has its exact size, so that one that
 * goes beyond it is.
 *
 * The control block outlives the execution, and the memory of the program does not.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* the user's flags may ask for a C without strnlen */
#endif
#include "burl_driver.h"

#include <alloca.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_SLOTS 64
#define MAX_STRING 65536
#define MAX_LENT 256

const void *__burl_mail_in(size_t *n);
void *__burl_mail_record(size_t body_b, uint32_t log_max);
void __burl_mail_event(uint32_t thread, uint32_t fn, int leave);
/* Only drivers with seeds have it (burl_record.c). */
int burl_r_run(const struct burl_mail_test *t) __attribute__((weak));
/* So have these (burl_stop.c). Runs a seed up to its stop; 0: it did not come there. */
int burl_s_stop(const struct burl_mail_test *t, uint32_t k, void **slots) __attribute__((weak));
const void *burl_s_argument(uint32_t stop, uint32_t param) __attribute__((weak));

enum { CALL_NOT_BEGUN = 0, CALL_RUNNING, CALL_DONE };

/* As enum burl_gen_value_kind. */
enum {
    VALUE_NONE = 0,
    VALUE_INT,
    VALUE_REAL,
    VALUE_NULL,
    VALUE_PAYLOAD,
    VALUE_SLOT,
    VALUE_POINTER,
    VALUE_BYTES,
    VALUE_CHANGED
};

struct burl_d_payload burl_d_payloads[BURL_D_PAYLOADS];
struct burl_d_payload burl_d_context;

static const struct burl_mail_test *test;
static const struct burl_mail_call *calls;
static const struct burl_mail_arg *all_args;
static struct burl_mail_body *body;
static uint8_t *states;
static struct burl_mail_value *values;
static void **memory; /* by number of argument */
static void *slots[MAX_SLOTS];
/* Strings that calls of the threads returned and that stay the API's. */
static struct {
    struct burl_mail_value *value;
    const char *at;
} lent[MAX_LENT];
static unsigned n_lent;
static uint32_t arrived; /* FREE: threads at the start */
static __thread struct burl_d_call *now;

/* ---- arguments --------------------------------------------------------------------- */

static const struct burl_mail_arg *
arg_of(const struct burl_d_call *c, uint32_t arg)
{
    return &c->args[arg];
}

void *
burl_d_object(const struct burl_d_call *c, uint32_t arg)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    return a->kind == BURL_MAIL_ARG_SLOT ? slots[a->i] : NULL;
}

int64_t
burl_d_int(const struct burl_d_call *c, uint32_t arg)
{
    return arg_of(c, arg)->i;
}

double
burl_d_real(const struct burl_d_call *c, uint32_t arg)
{
    return arg_of(c, arg)->real;
}

void *
burl_d_bytes(const struct burl_d_call *c, uint32_t arg)
{
    return memory[arg_of(c, arg) - all_args];
}

size_t
burl_d_length(const struct burl_d_call *c, uint32_t arg)
{
    return burl_d_is_null(c, arg) ? 0 : arg_of(c, arg)->n_bytes;
}

void *
burl_d_payload(const struct burl_d_call *c, uint32_t arg)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    return a->kind == BURL_MAIL_ARG_PAYLOAD ? &burl_d_payloads[a->i % BURL_D_PAYLOADS] : NULL;
}

int
burl_d_variant(const struct burl_d_call *c, uint32_t arg)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    return a->kind == BURL_MAIL_ARG_CALLBACK ? a->i != 0 : -1;
}

int
burl_d_is_null(const struct burl_d_call *c, uint32_t arg)
{
    return arg_of(c, arg)->kind == BURL_MAIL_ARG_NULL;
}

const void *
burl_d_stopped(const struct burl_d_call *c, uint32_t arg)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    return a->kind == BURL_MAIL_ARG_STOPPED ? burl_s_argument((uint32_t)a->i, arg) : NULL;
}

void *
burl_d_stack(size_t n)
{
    void *p = malloc(n);

    if (p == NULL)
        abort();
    return p;
}

void *
burl_d_memory(size_t n)
{
    void *p = calloc(1, n != 0 ? n : 1);

    if (p == NULL)
        abort();
    return p;
}

void
burl_d_free(void *p)
{
    free(p);
}

void
burl_d_set(const struct burl_d_call *c, uint32_t arg, union burl_d_out *o, int size_b, int is_real)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    memset(o, 0, sizeof *o);
    if (!is_real)
        o->i = a->kind == BURL_MAIL_ARG_INT ? a->i : 0;
    else if (size_b == 4)
        o->f = (float)a->real;
    else if (size_b == 8)
        o->d = a->real;
    else
        o->ld = a->real;
}

/* ---- values ------------------------------------------------------------------------ */

static struct burl_mail_value *
value_at(uint32_t at)
{
    static struct burl_mail_value nowhere;

    return at < test->n_values ? &values[at] : &nowhere;
}

/* The value of a parameter, or the result. */
static struct burl_mail_value *
value_of(const struct burl_d_call *c, uint32_t arg)
{
    return value_at(arg == BURL_D_RESULT ? c->c->value : arg_of(c, arg)->value);
}

static void
set_value(struct burl_mail_value *v, uint32_t kind, uint64_t bits)
{
    v->bits = bits;
    v->kind = (uint16_t)kind;
}

/* FNV-1a. */
static uint64_t
hash(const char *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)p[i]) * 0x100000001b3ull;
    return h;
}

static void
set_bytes(struct burl_mail_value *v, const char *p, size_t n)
{
    v->length = (uint32_t)n;
    v->n_bytes = (uint16_t)(n < BURL_MAIL_VALUE_BYTES ? n : BURL_MAIL_VALUE_BYTES);
    memcpy(v->bytes, p, v->n_bytes);
    set_value(v, VALUE_BYTES, hash(p, n));
}

static void
set_pointer(struct burl_mail_value *v, const void *p)
{
    const uintptr_t off = (uintptr_t)p - (uintptr_t)burl_d_payloads;

    if (p == NULL) {
        set_value(v, VALUE_NULL, 0);
        return;
    }
    if (off < sizeof burl_d_payloads && off % sizeof burl_d_payloads[0] == 0) {
        set_value(v, VALUE_PAYLOAD, off / sizeof burl_d_payloads[0]);
        return;
    }
    for (uint32_t i = 0; i < test->n_slots; i++) {
        if (slots[i] == p) {
            set_value(v, VALUE_SLOT, i);
            return;
        }
    }
    set_value(v, VALUE_POINTER, 0);
}

void
burl_d_put_int(struct burl_d_call *c, int64_t v)
{
    set_value(value_of(c, BURL_D_RESULT), VALUE_INT, (uint64_t)v);
}

void
burl_d_put_real(struct burl_d_call *c, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    set_value(value_of(c, BURL_D_RESULT), VALUE_REAL, bits);
}

void
burl_d_put_string(struct burl_d_call *c, const char *s)
{
    if (s == NULL)
        set_value(value_of(c, BURL_D_RESULT), VALUE_NULL, 0);
    else
        set_bytes(value_of(c, BURL_D_RESULT), s, strnlen(s, MAX_STRING));
}

void
burl_d_put_struct(struct burl_d_call *c, const void *p, size_t n)
{
    set_bytes(value_of(c, BURL_D_RESULT), p, n);
}

__attribute__((noinline)) void
burl_d_fill_stack(void)
{
    char below[1024];

    memset(below, (int)(test->shift % 251), sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory"); /* or it would be left out */
}

void
burl_d_put_lent(struct burl_d_call *c, const char *s)
{
    burl_d_put_string(c, s);
    if (test->mode == BURL_MAIL_CONTROLLED && s != NULL && n_lent < MAX_LENT) {
        lent[n_lent].value = value_of(c, BURL_D_RESULT);
        lent[n_lent++].at = s;
    }
}

/* FNV-1a of n bytes that may be gone; 0: they are. */
static uint64_t
hash_if_there(const char *p, size_t n)
{
    char copy[MAX_STRING];
    const struct iovec to = { copy, n };
    const struct iovec from = { (void *)(uintptr_t)p, n };

    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n ? hash(copy, n) : 0;
}

/*
 * Strings of the API were read when the calls had returned, without the API's locks. One that was
 * being written then is of no state of the object, and no fault of the API. It has another
 * content once the writer is done.
 */
static void
check_lent(void)
{
    for (unsigned i = 0; i < n_lent; i++) {
        struct burl_mail_value *v = lent[i].value;

        if (v->kind == VALUE_BYTES &&
            (v->length >= MAX_STRING || hash_if_there(lent[i].at, v->length) != v->bits ||
             hash_if_there(lent[i].at + v->length, 1) != hash("", 1)))
            v->kind = VALUE_CHANGED;
    }
}

void
burl_d_put_pointer(struct burl_d_call *c, uint32_t arg, const void *p)
{
    set_pointer(value_of(c, arg), p);
}

void
burl_d_made(struct burl_d_call *c, void *p)
{
    if (c->c->slot < test->n_slots)
        slots[c->c->slot] = p;
}

void
burl_d_consumed(struct burl_d_call *c, uint32_t arg)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    if (a->kind == BURL_MAIL_ARG_SLOT)
        slots[a->i] = NULL;
}

void
burl_d_put_out(struct burl_d_call *c, uint32_t arg, const union burl_d_out *o, int size_b,
               int is_unsigned, int is_real)
{
    struct burl_mail_value *v = value_of(c, arg);
    const double d = size_b == 4 ? (double)o->f : size_b == 8 ? o->d : (double)o->ld;
    const int unused = 64 - 8 * (size_b < 8 ? size_b : 8);
    uint64_t bits = (uint64_t)o->i << unused;

    if (is_real) {
        memcpy(&bits, &d, sizeof bits);
        set_value(v, VALUE_REAL, bits);
        return;
    }
    set_value(v, VALUE_INT, is_unsigned ? bits >> unused : (uint64_t)((int64_t)bits >> unused));
}

void
burl_d_put_buffer(struct burl_d_call *c, uint32_t arg)
{
    const struct burl_mail_arg *a = arg_of(c, arg);

    if (a->kind == BURL_MAIL_ARG_BUFFER)
        set_bytes(value_of(c, arg), burl_d_bytes(c, arg), a->n_bytes);
}

/* ---- callbacks --------------------------------------------------------------------- */

uint64_t *
burl_d_called(uint32_t fn, uint32_t arg)
{
    static __thread uint64_t nowhere;
    struct burl_mail_value *v;

    /* By a thread of the API, or later than the call it was given to: belongs to no call. */
    if (now == NULL || now->c->fn != fn || arg >= now->c->n_args)
        return &nowhere;
    v = value_of(now, arg);
    v->kind = VALUE_INT;
    v->bits = v->bits * BURL_D_STEP + 1;
    return &v->bits;
}

void
burl_d_see(uint64_t *h, const void *p, size_t n, enum burl_d_seen kind)
{
    struct burl_mail_value v = { 0 };
    uint64_t x = 0;

    if (kind == BURL_D_NOT_SEEN || n > sizeof x)
        return;
    memcpy(&x, p, n);
    if (kind == BURL_D_SIGNED)
        x = (uint64_t)((int64_t)(x << (64 - 8 * n)) >> (64 - 8 * n));
    if (kind == BURL_D_POINTER) {
        set_pointer(&v, (const void *)(uintptr_t)x);
        x = v.kind == VALUE_PAYLOAD ? v.bits + 1 : 0;
    }
    *h = *h * BURL_D_STEP + x;
}

/* ---- calls ------------------------------------------------------------------------- */

void
burl_d_begin(struct burl_d_call *c)
{
    if (c->number < test->n_calls)
        states[c->number] = CALL_RUNNING;
    now = c;
    __burl_mail_event(c->thread, c->c->fn, 0);
}

void
burl_d_end(struct burl_d_call *c)
{
    __burl_mail_event(c->thread, c->c->fn, 1);
    now = NULL;
    if (c->number < test->n_calls)
        states[c->number] = CALL_DONE;
}

/* Are the objects there that it takes? */
static int
is_possible(const struct burl_mail_call *c)
{
    for (uint32_t i = 0; i < c->n_args; i++) {
        const struct burl_mail_arg *a = &all_args[c->arg + i];

        if (a->kind == BURL_MAIL_ARG_SLOT && slots[a->i] == NULL)
            return 0;
    }
    return c->fn < burl_d_n_thunks && burl_d_thunks[c->fn] != NULL;
}

/* 0: it was to make an object of the prefix and did not. */
static int
run_call(uint32_t number, uint32_t thread)
{
    const struct burl_mail_call *c = &calls[number];
    struct burl_d_call call = { c, all_args + c->arg, number, thread };

    if (!is_possible(c))
        return 1;
    burl_d_thunks[c->fn](&call);
    return (c->flags & BURL_MAIL_CALL_MAKES) == 0 || slots[c->slot] != NULL;
}

/* Newest first. One that is in two slots (a reference that was given back) ends once. */
static void
end_objects(void)
{
    for (uint32_t i = test->n_slots; i-- > 0;) {
        const struct burl_mail_call *c = &calls[test->n_calls + i];
        void *p = slots[i];
        int again = 0;

        for (uint32_t k = 0; k < i; k++)
            again |= slots[k] == p;
        if (p == NULL || again)
            continue;
        run_call(test->n_calls + i, BURL_MAIL_NONE);
        if ((c->flags & BURL_MAIL_CALL_FREES) != 0)
            free(p);
        slots[i] = NULL;
    }
}

/* ---- the test ---------------------------------------------------------------------- */

/* Blocks of many sizes, some of them twice, that are in the way of all that come later. */
static void
shift_addresses(void)
{
    uint64_t x = test->shift * 0x9e3779b97f4a7c15ull;

    for (uint32_t i = 1; i <= 64; i++) {
        x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
        for (uint32_t k = 0; k < 1 + (x >> 60) % 3; k++) {
            /* Keeps the compiler from optimizing the padding away. */
            void *volatile p = malloc(i * 16 - 8);

            if (p == NULL)
                abort();
        }
    }
}

static void
make_arguments(void)
{
    const uint32_t n = test->n_args;

    memory = burl_d_memory(n * sizeof *memory);
    for (uint32_t i = 0; i < n; i++) {
        const struct burl_mail_arg *a = &all_args[i];

        if (a->kind == BURL_MAIL_ARG_BYTES || a->kind == BURL_MAIL_ARG_BUFFER)
            memory[i] = burl_d_memory(a->alloc_b);
        if (a->kind == BURL_MAIL_ARG_BYTES)
            memcpy(memory[i], (const char *)test + a->bytes_off, a->alloc_b);
    }
}

/* Creating threads takes longer than the calls they make. */
static void
wait_for_others(void)
{
    /* relaxed: the rendezvous must not add a happens-before edge */
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; __atomic_load_n(&arrived, __ATOMIC_RELAXED) < test->n_threads; i++) {
        if (i % 1024 == 1023)
            sched_yield();
    }
}

static void *
run_thread(void *arg)
{
    const uint32_t k = (uint32_t)(uintptr_t)arg;

    if (test->mode == BURL_MAIL_FREE)
        wait_for_others();
    for (uint32_t i = test->first[k]; i < test->first[k + 1]; i++)
        run_call(i, k);
    return NULL;
}

static void
start_thread(pthread_t *id, void *(*fn)(void *), uint32_t k)
{
    if (pthread_create(id, NULL, fn, (void *)(uintptr_t)k) != 0) {
        fprintf(stderr, "burl: no thread can be made\n");
        exit(3);
    }
}

static void
run_threads(void)
{
    pthread_t threads[BURL_MAIL_MAX_THREADS];

    for (uint32_t k = 0; k < test->n_threads; k++)
        start_thread(&threads[k], run_thread, k);
    for (uint32_t k = 0; k < test->n_threads; k++)
        pthread_join(threads[k], NULL);
}

/*
 * A linearization, each call made by its own thread: the caller may matter (an error per thread, a
 * lock with an owner). One thread runs at a time.
 */
static struct {
    pthread_t id;
    sem_t turn;
    uint32_t next; /* call to be made */
    int made;
    int over;
} seats[BURL_MAIL_MAX_THREADS];
static sem_t turn_back;

static void *
run_turns(void *arg)
{
    const uint32_t k = (uint32_t)(uintptr_t)arg;

    for (;;) {
        while (sem_wait(&seats[k].turn) != 0)
            ;
        if (seats[k].over)
            return NULL;
        run_call(seats[k].next++, k);
        sem_post(&turn_back);
    }
}

static void
take_seat(uint32_t k)
{
    sem_init(&seats[k].turn, 0, 0);
    seats[k].next = test->first[k];
    start_thread(&seats[k].id, run_turns, k);
    seats[k].made = 1;
}

static void
run_in_order(void)
{
    const uint8_t *order = (const uint8_t *)test + test->order_off;

    sem_init(&turn_back, 0, 0);
    for (uint32_t i = 0; i < test->n_order; i++) {
        const uint32_t k = order[i];

        if (!seats[k].made)
            take_seat(k);
        if (seats[k].next >= test->first[k + 1])
            continue;
        sem_post(&seats[k].turn);
        while (sem_wait(&turn_back) != 0)
            ;
    }
    for (uint32_t k = 0; k < test->n_threads; k++) {
        if (!seats[k].made)
            continue;
        seats[k].over = 1;
        sem_post(&seats[k].turn);
        pthread_join(seats[k].id, NULL);
    }
}

static void
run_test(void)
{
    for (uint32_t i = 0; i < test->n_stops; i++) {
        if (burl_s_stop == NULL || !burl_s_stop(test, i, slots)) {
            body->end = BURL_MAIL_END_MAKE;
            return;
        }
    }
    for (uint32_t i = 0; i < test->n_prefix; i++) {
        if (!run_call(i, BURL_MAIL_NONE)) {
            body->end = BURL_MAIL_END_MAKE;
            end_objects();
            return;
        }
    }
    if (test->mode == BURL_MAIL_SEQUENTIAL)
        run_in_order();
    else
        run_threads();
    check_lent();
    for (uint32_t i = 0; i < test->n_dumps; i++)
        run_call(test->first[test->n_threads] + i, BURL_MAIL_NONE);
    end_objects();
    body->end = BURL_MAIL_END_ALL;
}

/* The stack has addresses, too. */
static void
run_lower(void)
{
    const size_t n = test->shift != 0 ? 16 + test->shift % 61 * 16 : 16;
    char *volatile room = alloca(n);

    room[0] = 0;
    run_test();
}

int
main(void)
{
    size_t n;

    test = __burl_mail_in(&n);
    if (test == NULL) {
        fprintf(stderr, "this is the driver of `burl gen`; it runs under burl only\n");
        return 2;
    }
    if (test->mode == BURL_MAIL_SEED)
        return burl_r_run != NULL ? burl_r_run(test) : 3;
    body = __burl_mail_record(test->body_b, test->log_max);
    if (body == NULL)
        return 0;
    calls = (const struct burl_mail_call *)((const char *)test + test->calls_off);
    all_args = (const struct burl_mail_arg *)((const char *)test + test->args_off);
    states = (uint8_t *)(body + 1);
    values = (struct burl_mail_value *)(states + (test->n_calls + 7) / 8 * 8);
    if (test->shift != 0)
        shift_addresses();
    make_arguments();
    run_lower();
    /* What a seed registered with atexit() is not for the test. */
    if (test->n_stops > 0)
        _exit(0);
    return 0;
}
