/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/program.h - what kind of file is to be tested.
 *
 * A look at the ELF headers, so that the commonest mistake (the program was not
 * built with burl cc) is said before anything is started. The file is bytes from
 * outside: every offset is checked.
 */
#ifndef BURL_ENGINE_PROGRAM_H
#define BURL_ENGINE_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

struct burl_program_info {
    bool elf;           /* an ELF file for x86-64; false: a script, or something else executable */
    bool other_machine; /* ELF, but not for this machine */
    bool sites;         /* has a .burl.sites section */
    bool runtime;       /* is linked against libburl_rt.so */
    bool is_static;     /* has no dynamic section: the runtime cannot be in it */
    bool loads;         /* calls dlopen(): it may load code while it runs */
};

/* BURL_E_IO when the file cannot be read, BURL_E_FORMAT when it is a damaged ELF file. */
BURL_MUST_CHECK enum burl_status burl_program_inspect(const char *path,
                                                      struct burl_program_info *out,
                                                      struct burl_err *err);

/* BURL_OK when the program may be worth starting, else BURL_E_TARGET with what is wrong and what
 * to do. `name` is what the user typed. */
BURL_MUST_CHECK enum burl_status burl_program_check(const char *path, const char *name,
                                                    struct burl_err *err);

#endif
