/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/control.h - the shared memory between the host and one target process.
 *
 * The host creates a memfd, writes the head, and starts the program with the
 * descriptor's number in BURL_WIRE_ENV_CTL. The runtime maps it and closes the
 * descriptor. All areas lie in the one mapping at the offsets of the head.
 *
 * Turn-taking: `turn` is a futex word. HOST: the host owns the block, the target
 * sleeps. TARGET: the target owns it. Each side writes everything before it
 * hands over with a release store, and reads after an acquire load. While the
 * target has its turn the host reads only `live`, which is written with relaxed
 * stores (progress for people; no decision depends on it), and in free mode
 * `blocked` (wire/blocked.h).
 *
 * In fork mode the executions run in children of the target process; they share
 * the mapping, and the target process (the fork server) keeps the turn.
 */
#ifndef BURL_WIRE_CONTROL_H
#define BURL_WIRE_CONTROL_H

#include <assert.h>
#include <stdint.h>

#include "blocked.h"
#include "cover.h"
#include "event.h"
#include "mail.h"
#include "noise.h"
#include "order.h"
#include "profile.h"
#include "result.h"
#include "schedule.h"
#include "suspect.h"
#include "verdict.h"
#include "version.h"

#define BURL_WIRE_CTL_MAGIC 0x314c54434c525542ull /* "BURLCTL1" */

enum burl_wire_turn { BURL_TURN_HOST = 0, BURL_TURN_TARGET = 1 };

enum burl_wire_engine {
    BURL_ENGINE_FIBERS = 0,
    BURL_ENGINE_THREADS = 1,
    BURL_ENGINE_FREE = 2 /* not controlled: the program runs once, on all cores, observed; the order
                            lies in the block at the start, turn = TARGET. The trace area holds
                            the births of threads, result.n_events of them: CREATE, tid of the
                            creator, aux the new tid, site the call. With noise: `points` has the
                            marks of sites, those that the host knows at first, and the runtime
                            adds others; `gates_new` has the variables of sites (wire/noise.h) */
};
enum burl_wire_reset { BURL_RESET_SNAPSHOT = 0, BURL_RESET_FORK = 1 };

#define BURL_WIRE_MAX_MODULES 4096
#define BURL_WIRE_PATH_B 4096 /* as long as paths can be */

/* One loaded file (executable or shared object) that holds instrumented modules. */
struct burl_wire_object {
    uint64_t load_bias;
    uint64_t text_start;
    uint64_t text_end;
    char path[BURL_WIRE_PATH_B];
};

#define BURL_WIRE_MAX_OBJECTS 256

struct burl_wire_module_entry {
    uint64_t hash;
    uint32_t base; /* process-wide number of its site 0 */
    uint32_t n_sites;
    uint32_t object; /* index into objects */
    uint32_t late;   /* 1: loaded while the program ran (dlopen) */
};

struct burl_wire_live {
    uint64_t execs;
    uint64_t steps;
    uint64_t seed;
};

struct burl_wire_ctl {
    uint64_t magic;
    uint32_t version;
    uint32_t turn;       /* futex; enum burl_wire_turn */
    uint64_t size_b;     /* of the whole mapping */
    uint64_t points_off; /* uint8_t per site number: 1 = scheduling point */
    uint64_t points_n;
    uint64_t points_new_off; /* same shape: sites seen shared in this order */
    uint64_t gates_new_off;  /* uint32_t per site number: the outermost lock held when shared
                                 memory was touched there, as the site that took it; 0 none */
    uint64_t profile_off;    /* struct burl_wire_profile, see wire/profile.h */
    uint64_t profile_new_off;
    uint64_t sched_in_off; /* struct burl_wire_switch[] */
    uint64_t sched_in_n;
    uint64_t sched_out_off;
    uint64_t sched_out_n;
    uint64_t trace_off; /* struct burl_wire_event[], a ring */
    uint64_t trace_n;
    uint64_t search_off; /* EXHAUSTIVE: struct burl_search_stack and its events, wire/search.h */
    uint64_t search_b;
    uint64_t cover_off;    /* struct burl_wire_cover, 0 none */
    uint64_t mail_in_off;  /* struct burl_mail_test, BURL_MAIL_IN_B */
    uint64_t mail_out_off; /* struct burl_mail_out, BURL_MAIL_OUT_B; emptied by the host */
    uint32_t engine;       /* enum burl_wire_engine, chosen by the host before the start */
    uint32_t reset;        /* enum burl_wire_reset */
    uint32_t rt_version;   /* filled by the runtime */
    uint32_t rt_pid;
    uint32_t host_pid; /* the runtime ends when this process is gone */
    uint32_t n_modules;
    uint32_t n_objects;
    uint32_t n_sites;    /* highest site number + 1; number 0 is "unknown" */
    uint64_t snapshot_b; /* bytes saved by the snapshot, 0 none */
    struct burl_wire_live live;
    struct burl_wire_order order;
    struct burl_wire_result result;
    struct burl_wire_suspect suspects[BURL_WIRE_MAX_SUSPECTS]; /* of this order */
    struct burl_wire_settled settled[BURL_WIRE_MAX_SETTLED];   /* by the host, between orders */
    uint32_t n_settled;
    uint32_t pad_settled;
    struct burl_wire_object objects[BURL_WIRE_MAX_OBJECTS];
    struct burl_wire_module_entry modules[BURL_WIRE_MAX_MODULES];
    struct burl_wire_blocked_table blocked; /* FREE */
    uint32_t codes[BURL_WIRE_MAX_MODULES];  /* FREE: of site 0 of each module */
    uint32_t numbered;                      /* FREE: codes are site numbers */
    uint32_t pad_codes;
    struct burl_wire_noise noise;           /* FREE */
    struct burl_wire_noise_counts noise_counts[BURL_NOISE_SLOTS]; /* by clock slot */
    uint32_t noise_stop; /* set by the host while the program runs: no more noise */
    uint32_t pad_noise;
};

static_assert(sizeof(struct burl_wire_ctl) == 1501664, "control block size is on the wire");
static_assert(BURL_BLOCKED_STACK == BURL_WIRE_MAX_STACK, "stacks are copied into verdicts");

#endif
