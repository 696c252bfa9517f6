/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/script.h - the client calls of the seeds as calls of a test, and the part of them that
 * builds given objects.
 *
 * A script has one call per client call of the log, with the same index. Its object arguments name
 * objects of the script, each made by one call (its result, or memory of the client's own that the
 * call initialized) or by the client itself. From it, tests take slices: the calls that an object
 * depends on.
 */
#ifndef BURL_SYNTH_SCRIPT_H
#define BURL_SYNTH_SCRIPT_H

#include "gen/test/test.h"
#include "synth/log.h"

struct burl_synth_object {
    uint64_t addr;
    int seed;
    size_t made; /* by this call; by_client: the first one that was given it */
    size_t ended; /* by this call; SIZE_MAX: none */
    int type;     /* of the model */
    int param;    /* of that call, which is or receives the object; -1: its result */
    bool by_client; /* no call of the API made it */
};

struct burl_synth_script_call {
    struct burl_gen_call c; /* slots are objects of the script */
    int seed;
    int unwritten; /* parameter whose value cannot be written as C; -1 none */
    uint32_t only_seed; /* all parameters, as bits, whose values the seed alone has */
    bool uses_static; /* an argument leads to a variable of the seed that is not on its stack */
};

struct burl_synth_script {
    BURL_VEC(struct burl_synth_script_call) calls;
    BURL_VEC(struct burl_synth_object) objects;
    BURL_VEC(int) whole; /* seeds that a test cannot contain, so that they are never stopped */
};

void burl_synth_script_deinit(struct burl_synth_script *s);
/* Client call of its seed, from 0. */
unsigned burl_synth_script_nth(const struct burl_synth_script *s, size_t call);
/* A variable of the seed that is not on its stack is used by the call or an earlier one of the
 * seed: a second execution in the same process would use the same one. */
bool burl_synth_script_uses_static(const struct burl_synth_script *s, size_t call);
/* Objects that are passed to the parameter are the library's from then on. */
void burl_synth_script_take_over(struct burl_synth_script *s, int fn, int param);
/* The object at an address when call `call` of a seed begins; -1: the client has none there. */
int burl_synth_script_object(const struct burl_synth_script *s, int seed, size_t call,
                             uint64_t addr);

/* Calls of a slice, ascending, the call itself not included. Owned. */
struct burl_synth_slice {
    BURL_VEC_OF(size_t);
    int unwritten; /* call whose arguments cannot be written; -1 none */
};
/*
 * What must happen before the call so that its objects are as they were: every earlier call of its
 * seed on them, and on what those calls used, and calls without objects. Objects in `given` exist
 * already: nothing is done for them. Calls that ended an object stay, since their effect on others
 * may matter.
 */
struct burl_synth_slice burl_synth_slice_of(const struct burl_synth_script *s, size_t call,
                                            const bool *given);

#endif
