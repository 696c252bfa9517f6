/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/names.h - sites by (hash of the module, index), which are equal in every run.
 */
#ifndef BURL_TUNE_NAMES_H
#define BURL_TUNE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "wire/control.h"

/* The module of a site number; NULL: none has it. */
const struct burl_wire_module_entry *burl_tune_module(const struct burl_wire_module_entry *modules,
                                                      size_t n, uint32_t site);
/* Hash of the name of a site; 0 for a number that no module has. */
uint64_t burl_tune_site_name(const struct burl_wire_module_entry *modules, size_t n, uint32_t site);
/* The identity of a covered task. */
uint64_t burl_tune_item_name(const struct burl_wire_module_entry *modules, size_t n,
                             const struct burl_wire_cover_item *item);

#endif
