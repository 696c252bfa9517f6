/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/marks.h - what runs have learned about sites, carried from run to run.
 *
 * By (hash of the module, index): numbers of sites belong to a process. A search knows the modules
 * of its build from the first run on and gives the next run the marks by number. The same for
 * variables: sites whose source names the same variable have the same number.
 */
#ifndef BURL_TUNE_MARKS_H
#define BURL_TUNE_MARKS_H

#include "base/rng.h"
#include "base/sites.h"
#include "base/vec.h"
#include "wire/noise.h"

struct burl_mark {
    uint64_t module;
    uint32_t index;
    uint8_t marks;
};

struct burl_marks {
    BURL_VEC(struct burl_wire_module_entry) modules; /* of the first run */
    uint8_t *v;          /* by number; n of them */
    uint32_t *variables; /* by number, 0 unknown */
    size_t n;
    uint32_t n_variables;
    bool any_shared; /* a run had a shared site, be it in a module that is left out */
    BURL_VEC(struct burl_mark) pending; /* added before the first run */
};

void burl_marks_deinit(struct burl_marks *m);
/* The first run: its modules, and the variables that its sites name. Modules that were loaded while
 * the program ran are left out. */
void burl_marks_begin(struct burl_marks *m, const struct burl_wire_module_entry *modules, size_t n,
                      const struct burl_sites *sites);
/* Adds a mark; before the first run it waits. */
void burl_marks_add(struct burl_marks *m, uint64_t module, uint32_t index, uint8_t marks);
/* Adds a mark by the number of a run with these modules. */
void burl_marks_add_site(struct burl_marks *m, const struct burl_wire_module_entry *modules,
                         size_t n, uint32_t site, uint8_t marks);
/* Adds those of a run: marks by the numbers of its modules. */
void burl_marks_learn(struct burl_marks *m, const struct burl_wire_module_entry *modules, size_t n,
                      const uint8_t *marks, size_t n_marks);
/* Did a run or an earlier search have a shared site? */
bool burl_marks_any_shared(const struct burl_marks *m);
/* Sites with one of the marks. */
size_t burl_marks_count(const struct burl_marks *m, uint8_t marks);
/* One of the variables that have a shared site; 0 when there is none. */
uint32_t burl_marks_variable(const struct burl_marks *m, uint64_t seed);
/* All that are not 0, for a store. */
void burl_marks_each(const struct burl_marks *m,
                     void (*each)(void *arg, const struct burl_mark *x), void *arg);

#endif
