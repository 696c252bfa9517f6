/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/offset.c - addresses of code and data as names that are the same in every run.
 *
 * Runs in the target. Takes no lock: it reads the table of files in the control block.
 */
#include "core.h"
#include "module.h"

uint64_t
burl__module_offset(uintptr_t addr, uint32_t *file)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;
    uint64_t bias = 0;

    *file = UINT32_MAX;
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        uint64_t b = ctl->objects[i].load_bias;

        if (b <= addr && (*file == UINT32_MAX || b >= bias)) {
            *file = i;
            bias = b;
        }
    }
    return *file != UINT32_MAX ? addr - bias : 0;
}
