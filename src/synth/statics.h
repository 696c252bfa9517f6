/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/statics.h - the static objects of the library: roots that every client shares.
 */
#ifndef BURL_SYNTH_STATICS_H
#define BURL_SYNTH_STATICS_H

#include "base/err.h"
#include "gen/exec/exec.h"
#include "synth/log.h"

/* Reads the variables of the program into log->statics. `image`: where it was loaded. Variables of
 * the driver and of seeds are left out: a client may have others. */
BURL_MUST_CHECK enum burl_status burl_synth_statics_read(struct burl_synth_log *log,
                                                         const struct burl_gen_exec *x,
                                                         uint64_t image, struct burl_err *err);

#endif
