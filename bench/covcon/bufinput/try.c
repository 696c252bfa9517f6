/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.c - the failing pair of bufinput by hand, and a sequential stress of all its functions.
 *
 *     try         one thread reads, another closes
 *     try seq     random calls, one after the other; the same seed must give the same answers
 */
#include "bufinput.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 21u

struct world {
    struct bufinput *in;
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

static uint32_t
mix(uint32_t h, long value)
{
    return (h ^ (uint32_t)value) * 16777619u;
}

static uint32_t
mix_bytes(uint32_t h, const void *bytes, long n)
{
    for (long i = 0; i < n; i++)
        h = mix(h, ((const unsigned char *)bytes)[i]);
    return h;
}

static void
world_init(struct world *w, uint32_t seed)
{
    static const char text[] = "one\ntwo, a longer line\n\nthree\nthe last";

    if (draw(&seed) % 2 == 0)
        w->in = bufinput_new(text, draw(&seed) % sizeof text);
    else
        w->in = bufinput_new_string("ab");
    assert(w->in != NULL);
}

static void
world_end(struct world *w)
{
    bufinput_free(w->in);
}

/* One call; a number made of everything it answers. */
static uint32_t
call(struct world *w, unsigned op, uint32_t seed)
{
    struct bufinput *in = w->in;
    char dst[128] = "";
    const size_t len = draw(&seed) % 8;
    const int n = draw_int(&seed);
    int rc;

    switch (op) {
    case 0:
        return mix(op, bufinput_read_byte(in));
    case 1:
        rc = bufinput_read(in, dst, len);
        return mix_bytes(mix(op, rc), dst, rc);
    case 2:
        rc = bufinput_read_full(in, dst, len);
        return mix_bytes(mix(op, rc), dst, rc == 0 ? (long)len : 0);
    case 3:
        rc = bufinput_read_line(in, dst, len);
        return mix_bytes(mix(op, rc), dst, rc);
    case 4:
        return mix(op, bufinput_peek(in));
    case 5:
        return mix(op, bufinput_unread(in));
    case 6:
        return mix(op, bufinput_skip(in, n));
    case 7:
        return mix(op, bufinput_skip_past(in, draw(&seed) % 2 ? '\n' : n));
    case 8:
        return mix(op, bufinput_available(in));
    case 9:
        return mix(op, bufinput_buffered(in));
    case 10:
        return mix(op, bufinput_mark(in, n));
    case 11:
        return mix(op, bufinput_reset(in));
    case 12:
        return mix(op, bufinput_has_mark(in));
    case 13:
        bufinput_clear_mark(in);
        return op;
    case 14:
        return mix(op, bufinput_rewind(in));
    case 15:
        return mix(op, bufinput_position(in));
    case 16:
        return mix(op, bufinput_at_eof(in));
    case 17:
        return mix(op, bufinput_set_buffer_size(in, n));
    case 18:
        return mix(op, bufinput_buffer_size(in));
    case 19:
        return mix(op, bufinput_is_open(in));
    default:
        /* Seldom, or the other calls would only see closed streams. */
        return mix(op, draw(&seed) % 8 == 0 ? bufinput_close(in) : 1);
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

static int read_rc;
static char read_dst[4];

static void *
reader(void *arg)
{
    read_rc = bufinput_read(arg, read_dst, 1);
    return NULL;
}

static void *
closer(void *arg)
{
    const int rc = bufinput_close(arg);

    assert(rc == 0);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct bufinput *in;
    pthread_t t1;
    pthread_t t2;

    if (argc > 1 && strcmp(argv[1], "seq") == 0)
        return run_sequential();
    in = bufinput_new_string("a");
    assert(in != NULL);
    pthread_create(&t1, NULL, reader, in);
    pthread_create(&t2, NULL, closer, in);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(read_rc == -EBADF || (read_rc == 1 && read_dst[0] == 'a'));
    bufinput_free(in);
    return 0;
}
