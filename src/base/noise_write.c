/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/noise_write.c - noise settings as text: a line, a file, and words for people.
 *
 * Runs in the host. What noise.c reads back is the same setting.
 */
#include <inttypes.h>

#include "base/noise.h"
#include "base/noise_int.h"

static void
add_place(struct burl_buf *out, size_t from, const char *place)
{
    if (out->n > from)
        burl_buf_char(out, '+');
    burl_buf_str_append(out, place);
}

static void
write_place(struct burl_buf *out, const struct burl_wire_noise *n)
{
    const size_t from = out->n;
    const uint32_t s = n->shared;

    if (s == BURL_NOISE_SHARED_ALL || s == BURL_NOISE_SHARED_ALL_RANDOM)
        add_place(out, from, "shared");
    if (s == BURL_NOISE_SHARED_ONE || s == BURL_NOISE_SHARED_ONE_RANDOM)
        add_place(out, from, "one");
    if (s == BURL_NOISE_SHARED_ALL_RANDOM || s == BURL_NOISE_SHARED_ONE_RANDOM ||
        (s == BURL_NOISE_SHARED_OFF && (n->cover != BURL_NOISE_COVER_OFF || n->marks == 0)))
        add_place(out, from, "random");
    if (n->cover == BURL_NOISE_COVER_ON)
        add_place(out, from, "coverage");
    if (n->cover == BURL_NOISE_COVER_ADAPTED)
        add_place(out, from, "adaptive");
    if (n->marks & BURL_NOISE_MARK_SUSPECT)
        add_place(out, from, "suspects");
    if (n->marks & BURL_NOISE_MARK_PAIR)
        add_place(out, from, "pairs");
}

void
burl_noise_write_line(struct burl_buf *out, const struct burl_wire_noise *n)
{
    burl_buf_printf(out, "%s:freq=%u,strength=%u,place=", burl__noise_seeding(n->seeding), n->freq,
                    n->strength);
    write_place(out, n);
    if (n->halt)
        burl_buf_str_append(out, ",halt");
    if (n->tamper)
        burl_buf_str_append(out, ",tamper");
    burl_buf_printf(out, ",seed=%" PRIu64, n->seed);
    if (n->variable != 0)
        burl_buf_printf(out, ",variable=%u", n->variable);
}

void
burl_noise_write_file(struct burl_buf *out, const struct burl_wire_noise *n)
{
    burl_buf_printf(out, "seeding = %s\nfreq = %u\nstrength = %u\nplace = ",
                    burl__noise_seeding(n->seeding), n->freq, n->strength);
    write_place(out, n);
    burl_buf_printf(out, "\nhalt = %s\ntamper = %s\nseed = %" PRIu64 "\n", n->halt ? "on" : "off",
                    n->tamper ? "on" : "off", n->seed);
    if (n->variable != 0)
        burl_buf_printf(out, "variable = %u\n", n->variable);
}

/* ---- words ------------------------------------------------------------------------- */

static const char *
shared_words(uint32_t shared)
{
    switch (shared) {
    case BURL_NOISE_SHARED_ALL_RANDOM:
        return "before every access and around every synchronization call, with a second draw at "
               "shared variables";
    case BURL_NOISE_SHARED_ALL:
        return "before accesses to shared variables only";
    case BURL_NOISE_SHARED_ONE_RANDOM:
        return "before every access and around every synchronization call, with a second draw at "
               "one shared variable";
    case BURL_NOISE_SHARED_ONE:
        return "before accesses to one shared variable only";
    case BURL_NOISE_SHARED_NONE:
        return "at the places of coverage only";
    default:
        return "before every access and around every synchronization call";
    }
}

static const char *
marks_words(uint32_t marks)
{
    switch (marks) {
    case BURL_NOISE_MARK_SUSPECT:
        return "suspects of earlier runs";
    case BURL_NOISE_MARK_PAIR:
        return "location pairs that are not covered";
    default:
        return "suspects of earlier runs and location pairs that are not covered";
    }
}

/* What a thread does, with the number in the place of the letter s. */
static void
write_seeding(struct burl_buf *out, const struct burl_wire_noise *n)
{
    const uint32_t s = n->strength;
    const char *plural = s == 1 ? "" : "s";

    switch (n->seeding) {
    case BURL_NOISE_SLEEP:
        burl_buf_printf(out, "sleeps %u millisecond%s", s, plural);
        break;
    case BURL_NOISE_WAIT:
        burl_buf_printf(out, "waits %u millisecond%s on a monitor of the runtime", s, plural);
        break;
    case BURL_NOISE_BUSY_WAIT:
        burl_buf_printf(out, "spins %u millisecond%s", s, plural);
        break;
    case BURL_NOISE_SYNCH_YIELD:
        burl_buf_printf(out, "gives up the processor %u time%s in a monitor of the runtime", s,
                        plural);
        break;
    case BURL_NOISE_MIXED:
        burl_buf_printf(
            out, "yields, sleeps, waits or spins, chosen anew each time, with strength %u", s);
        break;
    default:
        burl_buf_printf(out, "gives up the processor %u time%s", s, plural);
    }
}

void
burl_noise_write_words(struct burl_buf *out, const struct burl_wire_noise *n)
{
    if (n->freq == 0) {
        burl_buf_str_append(out, "No noise: the frequency is 0.\n");
    } else {
        burl_buf_printf(out, "Frequency: noise is injected at %.1f%% of its places.\n",
                        n->freq / 10.0);
        burl_buf_printf(out, "Places: %s.\n", shared_words(n->shared));
        if (n->cover != BURL_NOISE_COVER_OFF)
            burl_buf_printf(out,
                            "Coverage: with a draw of its own before accesses that were followed "
                            "by a conflicting access of another thread%s.\n",
                            n->cover == BURL_NOISE_COVER_ADAPTED
                                ? "; the more often a place is executed, the lower its chance"
                                : "");
        if (n->marks)
            burl_buf_printf(out, "Restriction: only at the sites of %s.\n", marks_words(n->marks));
        burl_buf_str_append(out, "Noise: the thread ");
        write_seeding(out, n);
        burl_buf_str_append(out, ".\n");
        if (n->halt)
            burl_buf_printf(out,
                            "Halts: one injection in %u halts the thread until no other thread "
                            "runs, at most %u ms.\n",
                            BURL_NOISE_HALT_ONE_IN, BURL_NOISE_HALT_MS * n->strength);
    }
    if (n->tamper)
        burl_buf_str_append(out, "Sleeps: the program's own sleeps are shortened at random.\n");
}
