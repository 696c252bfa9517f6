/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/module.h - instrumented modules, their sites, and address ranges (module.c).
 */
#ifndef BURL_RT_MODULE_H
#define BURL_RT_MODULE_H

#include "rt.h"

/* A hook: called by the constructor of every instrumented module. */
BURL_EXPORT void __burl_module_init(struct burl_wire_module *m);
/* The same in the record profile: history/chunks.c. */
BURL_EXPORT void __burl_marks_init(struct burl_wire_module *m, uint8_t *seen, void *hot);
const char *burl__module_file_name(const char *path); /* behind the last slash */
bool burl__module_is_runtime(uintptr_t pc);
bool burl__module_is_libc(uintptr_t pc);
bool burl__module_is_data(uintptr_t addr); /* static storage of the program or a library */
/* The same of a library that was loaded while the program ran: where the file lies in this
 * execution, and its first site, which is the same in all. */
bool burl__module_is_late(uintptr_t addr, uint64_t *bias, uint32_t *site);
void burl__module_locate(void); /* finds the runtime's, libc's and the program's address ranges */
/* Wire version of the program: ours, or that of a module which another version of burl has built.
 * */
uint32_t burl__module_version(void);
void burl__module_publish(void);
/* The file that holds the address is about to be unloaded: dlclose(), or the end of the process. */
void burl__module_unload(uintptr_t addr);

/* Of `registered`: the file was unloaded, and this is the runtime's copy of the records. */
#define BURL_MODULE_GONE 2u

static inline bool
burl__module_is_gone(const struct burl_wire_module *m)
{
    return m->registered == BURL_MODULE_GONE;
}

/* The site with this process-wide number; NULL: there is none. */
const struct burl_wire_site *burl__module_site(uint32_t number);
/* The number of the site at this place; 0: there is none. */
uint32_t burl__module_site_at(const struct burl_wire_site *site);
/* The FUNC site of the function that holds the site; 0 unknown. */
uint32_t burl__module_function(uint32_t site);
/* The module that has it; NULL: there is none. */
const struct burl_wire_module *burl__module_of(uint32_t number);

/* A loaded file. */
struct burl__object {
    const char *path; /* of the dynamic linker: "" is the executable */
    uintptr_t bias;
};

/* The one that holds an address; false: there is none. */
bool burl__module_object(uintptr_t addr, struct burl__object *out);
/* The address counted from where its file was loaded, the one loaded last before it; *file: its
 * number among those of the control block, UINT32_MAX and 0 if there is none. The same in every
 * run. */
uint64_t burl__module_offset(uintptr_t addr, uint32_t *file);
/* How many files were unloaded since the process began. */
uint64_t burl__module_n_unloads(void);
/* The module registered as number i; NULL: there are no more. */
const struct burl_wire_module *burl__module_at(uint32_t i);
/* Has any module a site of this kind? */
bool burl__module_has_kind(enum burl_wire_site_kind kind);
/* BURL_ORDER_F_VOLATILE in free mode: the sites of volatile accesses become atomic ones. */
void burl__module_volatile_atomic(void);

#endif
