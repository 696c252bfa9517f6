/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/role.c - the role of a thread: (start routine, creation site, ordinal among equal ones).
 *
 * It is the same in every run of a program that creates its threads in the same order. The main
 * thread's is 0. Recording (rt/history) and coverage (cover/names.c) have such names too; theirs
 * need a file or observers, and more of the stack.
 */
#include "noise_int.h"
#include "rt/core/module.h"

#define N_KINDS 1024u /* power of two */

/* Open addressing; 0 is free. Kinds that find no place share the one they end at. */
static uint64_t kinds[N_KINDS];
static uint32_t n_of_kind[N_KINDS];

static uint32_t
next_ordinal(uint64_t kind)
{
    uint32_t at = (uint32_t)kind & (N_KINDS - 1);

    for (uint32_t i = 0; i < N_KINDS && kinds[at] != 0 && kinds[at] != kind; i++)
        at = (at + 1) & (N_KINDS - 1);
    if (kinds[at] == 0)
        kinds[at] = kind;
    return n_of_kind[at]++;
}

uint64_t
burl_noise_birth(uint32_t site, uintptr_t start)
{
    uint32_t file;
    uint64_t offset = burl__module_offset(start, &file);
    uint64_t kind = burl_wire_mix(burl_wire_mix(burl_wire_mix(5, site), offset), file) | 1;

    return burl_wire_mix(kind, next_ordinal(kind)) | 1;
}
