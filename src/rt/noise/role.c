/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/role.c - the role of a thread: (role of its creator, start routine, creation site and stack
 * of functions, ordinal among equal ones of the creator).
 *
 * It is the same in every run in which each thread creates its threads in the same order, whatever
 * other threads do meanwhile. The ordinal has to be the creator's: all threads of std::thread and
 * of wrappers of pthread_create begin in one routine and are created at one site. The main thread's
 * role is 0. Recording (rt/history) and coverage (cover/names.c) have names of threads too, which
 * several threads of one kind may share.
 */
#include "noise_int.h"
#include "rt/core/module.h"

static uint32_t
next_ordinal(struct burl_free_thread *creator, uint64_t kind)
{
    uint32_t i = 0;

    while (i < BURL_FREE_BIRTHS - 1 && creator->births[i].kind != 0 &&
           creator->births[i].kind != kind)
        i++;
    creator->births[i].kind = kind;
    return creator->births[i].n++;
}

uint64_t
burl_noise_birth(struct burl_free_thread *creator, uint64_t stack, uintptr_t start)
{
    uint32_t file;
    uint64_t offset = burl__module_offset(start, &file);
    uint64_t kind = burl_wire_mix(burl_wire_mix(burl_wire_mix(stack, offset), file), 5) | 1;

    return burl_wire_mix(burl_wire_mix(creator->role, kind), next_ordinal(creator, kind)) | 1;
}
