/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of strbuf by hand, and a sequential stress of all its functions.
 *
 *     try         one thread appends a string, another makes that string shorter
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "strbuf.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 27u

struct world {
    struct strbuf *a;
    struct strbuf *b;
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
mix_bytes(uint32_t h, const char *bytes, long n)
{
    for (long i = 0; i < n; i++)
        h = mix(h, (unsigned char)bytes[i]);
    return h;
}

static void
world_init(struct world *w, uint32_t seed)
{
    w->a = strbuf_new(draw(&seed) % 4 == 0 ? NULL : draw_string(&seed));
    w->b = strbuf_new(draw_string(&seed));
    assert(w->a != NULL && w->b != NULL);
}

static void
world_end(struct world *w)
{
    strbuf_free(w->a);
    strbuf_free(w->b);
}

/* One call that asks. */
static uint32_t
call_asking(struct strbuf *sb, unsigned op, uint32_t seed)
{
    const int n = draw_int(&seed);
    const char *text = draw_string(&seed);
    const size_t cap = draw(&seed) % 8;
    char buf[8] = "";
    int rc;

    switch (op) {
    case 17:
        return mix(op, strbuf_char_at(sb, n));
    case 18:
        return mix(op, strbuf_index_of(sb, text));
    case 19:
        return mix(op, strbuf_last_index_of(sb, text));
    case 20:
        return mix(op, strbuf_starts_with(sb, text));
    case 21:
        return mix(op, strbuf_equals(sb, text));
    case 22:
        rc = strbuf_get_chars(sb, n, draw_int(&seed), buf, cap);
        return mix_bytes(mix(op, rc), buf, rc);
    case 23:
        rc = strbuf_to_string(sb, buf, cap);
        return mix_bytes(mix(op, rc), buf, sizeof buf);
    case 24:
        return mix(op, strbuf_length(sb));
    case 25:
        return mix(op, strbuf_is_empty(sb));
    default:
        return mix(op, strbuf_capacity(sb));
    }
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct strbuf *sb = draw(&seed) % 3 == 0 ? w->b : w->a;
    struct strbuf *other = draw(&seed) % 2 == 0 ? w->b : w->a;
    const int n = draw_int(&seed);
    const int end = draw_int(&seed);
    const char *text = draw_string(&seed);

    switch (op) {
    case 0:
        return mix(op, strbuf_ensure_capacity(sb, n));
    case 1:
        return mix(op, strbuf_trim(sb));
    case 2:
        return mix(op, strbuf_set_length(sb, n));
    case 3:
        strbuf_clear(sb);
        return op;
    case 4:
        return mix(op, strbuf_append(sb, text));
    case 5:
        return mix(op, strbuf_append_char(sb, (char)n));
    case 6:
        return mix(op, strbuf_append_int(sb, n));
    case 7:
        return mix(op, strbuf_append_bytes(sb, text, strlen(text)));
    case 8:
    case 9: /* twice: it has more cases than the others */
        return mix(op, strbuf_append_buf(sb, other));
    case 10:
        return mix(op, strbuf_insert(sb, n, text));
    case 11:
        return mix(op, strbuf_insert_char(sb, n, 'x'));
    case 12:
        return mix(op, strbuf_delete(sb, n, end));
    case 13:
        return mix(op, strbuf_delete_char_at(sb, n));
    case 14:
        return mix(op, strbuf_replace(sb, n, end, text));
    case 15:
        return mix(op, strbuf_set_char_at(sb, n, 'y'));
    case 16:
        strbuf_reverse(sb);
        return op;
    default:
        return call_asking(sb, op, seed);
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

static void *
appender(void *arg)
{
    const int rc = strbuf_append_buf(arg, arg);

    assert(rc == 0);
    return NULL;
}

static void *
clearer(void *arg)
{
    strbuf_clear(arg);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct strbuf *sb;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    sb = strbuf_new("a");
    assert(sb != NULL);
    pthread_create(&t1, NULL, appender, sb);
    pthread_create(&t2, NULL, clearer, sb);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(strbuf_is_empty(sb));
    strbuf_free(sb);
    return 0;
}
