/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of logger by hand, and a sequential stress of all its functions.
 *
 *     try         one thread logs, another removes the filter
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "logger.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 24u

struct world {
    struct logger *lg;
};

/* ---- random calls -------------------------------------------------------------------------- */

static uint32_t
draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int
draw_int(uint32_t *seed)
{
    static const int table[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };

    return table[draw(seed) % (sizeof table / sizeof *table)];
}

static const char *
draw_string(uint32_t *seed)
{
    static const char *const table[] = { "", "", "a", "b", "ab", "ba", "a longer one" };

    return table[draw(seed) % (sizeof table / sizeof *table)];
}

static uint32_t
mix(uint32_t h, long value)
{
    return (h ^ (uint32_t)value) * 16777619u;
}

static uint32_t
mix_string(uint32_t h, const char *s)
{
    while (*s != '\0')
        h = mix(h, (unsigned char)*s++);
    return h;
}

/* The handler must not call the logger, and need not do anything. */
static void
handle(void *arg, enum logger_level level, const char *message)
{
    assert(arg == NULL && level < LOGGER_OFF && strlen(message) <= LOGGER_MAX_MESSAGE);
}

static void
world_init(struct world *w, uint32_t seed)
{
    w->lg = logger_new(draw(&seed) % 2 ? "main" : NULL);
    assert(w->lg != NULL);
}

static void
world_end(struct world *w)
{
    logger_free(w->lg);
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct logger *lg = w->lg;
    char buf[16] = "";
    const size_t cap = draw(&seed) % sizeof buf;
    const int n = draw_int(&seed);
    enum logger_level level = (enum logger_level)(draw(&seed) % 8 == 0 ? n : (int)draw(&seed) % 6);
    const char *text = draw_string(&seed);
    int rc;

    switch (op) {
    case 0:
        rc = logger_get_name(lg, buf, cap);
        return mix_string(mix(op, rc), buf);
    case 1:
        return mix(op, logger_set_level(lg, level));
    case 2:
        return mix(op, logger_get_level(lg));
    case 3:
        return mix(op, logger_is_loggable(lg, level));
    case 4:
        return mix(op, logger_set_filter(lg, n == 0 ? NULL : text));
    case 5:
        return mix(op, logger_clear_filter(lg));
    case 6:
        return mix(op, logger_has_filter(lg));
    case 7:
        rc = logger_get_filter(lg, buf, cap);
        return mix_string(mix(op, rc), buf);
    case 8:
        return mix(op, logger_log(lg, level, text));
    case 9:
        return mix(op, logger_severe(lg, text));
    case 10:
        return mix(op, logger_warning(lg, text));
    case 11:
        return mix(op, logger_info(lg, text));
    case 12:
        return mix(op, logger_fine(lg, text));
    case 13:
        return mix(op, logger_add_handler(lg, handle, NULL));
    case 14:
        return mix(op, logger_remove_handler(lg));
    case 15:
        return mix(op, logger_handler_count(lg));
    case 16:
        return mix(op, logger_count(lg));
    case 17:
        return mix(op, logger_count_level(lg, level));
    case 18:
        rc = logger_get_record(lg, n, n == 1 ? NULL : &level, buf, cap);
        return mix_string(mix(mix(op, rc), level), buf);
    case 19:
        return mix(op, logger_find(lg, text));
    case 20:
        return mix(op, logger_clear(lg));
    case 21:
        return mix(op, logger_set_capacity(lg, n));
    case 22:
        return mix(op, logger_get_capacity(lg));
    default:
        return mix(op, logger_dropped(lg));
    }
}

static uint32_t
run_sequence(uint32_t seed)
{
    struct world w;
    uint32_t h = 2166136261u;

    world_init(&w, seed);
    for (int i = 0; i < 100; i++) {
        const unsigned op = draw(&seed) % N_OPS;

        h = mix(h, call(&w, op, draw(&seed)));
    }
    world_end(&w);
    return h;
}

static int
run_sequential(void)
{
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        if (run_sequence(seed) != run_sequence(seed)) {
            fprintf(stderr, "seed %u: two runs differ\n", seed);
            return 1;
        }
    }
    return 0;
}

/* ---- the failing pair ---------------------------------------------------------------------- */

static int log_rc;
static bool had_filter;

static void *
writer(void *arg)
{
    log_rc = logger_info(arg, "a");
    return NULL;
}

static void *
opener(void *arg)
{
    had_filter = logger_clear_filter(arg);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct logger *lg;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    lg = logger_new(NULL);
    assert(lg != NULL);
    logger_set_filter(lg, "");
    pthread_create(&t1, NULL, writer, lg);
    pthread_create(&t2, NULL, opener, lg);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(log_rc == 1 && had_filter && logger_count(lg) == 1);
    logger_free(lg);
    return 0;
}
