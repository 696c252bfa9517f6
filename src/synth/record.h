/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/record.h - reads what the recorder wrote (wire/record.h) into log and script.
 */
#ifndef BURL_SYNTH_RECORD_H
#define BURL_SYNTH_RECORD_H

#include "base/err.h"
#include "synth/script.h"

/* What a record has, before it is read. */
struct burl_synth_record_info {
    size_t n_calls;        /* that returned */
    bool is_full;          /* there were more events than the recorder has room for */
    int last_fn;           /* of the last call; -1 there was none */
    bool is_inside;        /* that call did not return */
    size_t n_own_threads;  /* that the seed created itself, between calls */
    BURL_VEC(int) threads; /* functions that created threads, each once, in order of appearance */
};
void burl_synth_record_info_deinit(struct burl_synth_record_info *i);

/*
 * `area` is the body of the execution's record, n bytes. It comes from the tested process:
 * everything in it is checked, and BURL_E_TARGET says what is wrong. *info is overwritten.
 */
BURL_MUST_CHECK enum burl_status burl_synth_record_scan(struct burl_synth_record_info *info,
                                                        const struct burl_gen_model *m,
                                                        const void *area, size_t n,
                                                        struct burl_err *err);
/*
 * Appends seed number `seed` of the program: its calls and events to the log, its calls with their
 * arguments to the script. A call that did not return is left out, with what it did. On failure
 * both are as before.
 */
BURL_MUST_CHECK enum burl_status burl_synth_record_read(struct burl_synth_log *log,
                                                        struct burl_synth_script *script,
                                                        const struct burl_gen_model *m, int seed,
                                                        const void *area, size_t n,
                                                        struct burl_err *err);

#endif
