/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/setters.h - public functions that put an object of the client's choice into another one.
 *
 * A setter is a sequence of calls after which root->f1->...->fk is an object that the client
 * passed. Its last call is on the root, or makes it; the calls before prepare objects that it
 * installs.
 */
#ifndef BURL_SYNTH_SETTERS_H
#define BURL_SYNTH_SETTERS_H

#include "synth/access.h"

#define BURL_SYNTH_MAX_SETTER 4

/* One call of a setter: the assignment that makes it one. Its target's root is the object it is
 * called on, or its result; its source's root is the parameter with what is installed. */
struct burl_synth_setter {
    unsigned n; /* calls, in order; 0: none exists */
    bool is_suspended; /* the last call assigns something else afterwards: it must be stopped */
    unsigned steps; /* k: what is set, in steps from the root */
    size_t assign[BURL_SYNTH_MAX_SETTER];
};

/* A setter for the object after the first `steps` steps of the path: one that need not be suspended
 * if there is one, the shortest sequence, and among those the first in the log. False: there is
 * none. */
bool burl_synth_find_setter(struct burl_synth_setter *out, const struct burl_synth_table *t,
                            const struct burl_synth_path *path, unsigned steps);

#endif
