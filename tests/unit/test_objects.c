/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_objects.c - sched/objects.c: the table of sync objects grows while it is in use.
 */
#include "unit.h"

#include "rt/sched/objects.c"

struct burl_rt burl_rt;                     /* no thread runs, so no stack is looked at */
struct burl_alias_bounds burl_alias_bounds; /* nothing is mapped twice */

uintptr_t
burl__alias_find(uintptr_t addr)
{
    fail();
    return addr;
}

void
burl__stack_check_slow(struct burl_thread *t, uintptr_t addr, uintptr_t sp)
{
    (void)t;
    (void)addr;
    (void)sp;
    fail();
}

enum { N_OBJECTS = 20000 }; /* more than the largest table has buckets */

static char places[N_OBJECTS][8]; /* addresses to have objects at, which are never looked into */
static struct burl_obj *made[N_OBJECTS];
static char *memory;
static size_t used_b;

void *
burl_exec_alloc(size_t n)
{
    void *p = memory + used_b;

    used_b += (n + 15) & ~(size_t)15;
    return p;
}

void
burl__heap_check_slow(uintptr_t addr, size_t n)
{
    (void)addr;
    (void)n;
}

bool
burl__lock_held_by(const struct burl_obj *o, const struct burl_thread *t)
{
    return o->owner == t->tid;
}

static int
start(void **state)
{
    (void)state;
    memory = burl_xcalloc(N_OBJECTS, 2 * sizeof(struct burl_obj));
    used_b = 0;
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    burl__objects_reset();
    free(memory);
    return 0;
}

static void
make(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool fresh;

        made[i] = burl_obj_get(places[i], BURL_OBJ_MUTEX, &fresh);
        assert_true(fresh);
    }
}

static void
all_are_found_while_it_grows(void **state)
{
    (void)state;
    make(N_OBJECTS);
    for (uint32_t i = 0; i < N_OBJECTS; i++) {
        bool fresh;

        assert_ptr_equal(burl_obj_find(places[i], BURL_OBJ_MUTEX), made[i]);
        assert_ptr_equal(burl_obj_get(places[i], BURL_OBJ_MUTEX, &fresh), made[i]);
        assert_false(fresh);
    }
    assert_null(burl_obj_find(places[N_OBJECTS - 1] + 4, BURL_OBJ_MUTEX));
}

static void
what_was_dropped_stays_away(void **state)
{
    (void)state;
    make(60);
    for (uint32_t i = 0; i < 60; i += 2)
        burl_obj_drop(made[i]);
    for (uint32_t i = 60; i < N_OBJECTS; i++) /* grows */
        (void)burl_obj_get(places[i], BURL_OBJ_MUTEX, NULL);
    for (uint32_t i = 0; i < 60; i++)
        assert_ptr_equal(burl_obj_find(places[i], BURL_OBJ_MUTEX), i % 2 == 0 ? NULL : made[i]);
}

static void
the_oldest_lock_held_is_named(void **state)
{
    const struct burl_thread t = { .tid = 7 };

    (void)state;
    make(N_OBJECTS);
    assert_null(burl_obj_held_by(&t));
    for (uint32_t i = 100; i < N_OBJECTS; i += 100)
        made[i]->owner = t.tid;
    assert_ptr_equal(burl_obj_held_by(&t), made[100]);
}

static void
nothing_is_left_for_the_next_execution(void **state)
{
    (void)state;
    make(N_OBJECTS);
    burl__objects_reset();
    used_b = 0;
    memset(memory, 0, N_OBJECTS * 2 * sizeof(struct burl_obj));
    for (uint32_t i = 0; i < N_OBJECTS; i++)
        assert_null(burl_obj_find(places[i], BURL_OBJ_MUTEX));
    make(60); /* in a small table again */
    for (uint32_t i = 60; i < N_OBJECTS; i++)
        assert_null(burl_obj_find(places[i], BURL_OBJ_MUTEX));
    assert_int_equal(1u << bits, 64);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_are_found_while_it_grows, start, stop),
        cmocka_unit_test_setup_teardown(what_was_dropped_stays_away, start, stop),
        cmocka_unit_test_setup_teardown(the_oldest_lock_held_is_named, start, stop),
        cmocka_unit_test_setup_teardown(nothing_is_left_for_the_next_execution, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
