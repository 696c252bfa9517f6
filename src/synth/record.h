/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/record.h - reads what the recorder wrote (wire/record.h) into log and script.
 */
#ifndef BURL_SYNTH_RECORD_H
#define BURL_SYNTH_RECORD_H

#include "base/err.h"
#include "synth/script.h"

/*
 * Appends one seed: its calls and events to the log, its calls with their arguments to the script.
 * `area` is the body of the execution's record, n bytes. It comes from the tested process:
 * everything in it is checked, and BURL_E_TARGET says what is wrong.
 */
BURL_MUST_CHECK enum burl_status burl_synth_record_read(struct burl_synth_log *log,
                                                        struct burl_synth_script *script,
                                                        const struct burl_gen_model *m,
                                                        const void *area, size_t n,
                                                        struct burl_err *err);

#endif
