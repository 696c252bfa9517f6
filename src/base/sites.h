/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sites.h - from process-wide site numbers to source positions, and back.
 *
 * Runs in the host. The runtime says which modules it has (wire/control.h); their
 * described tables lie in the `.burl.sites` sections of the loaded files and are
 * read on first use, one module at a time, since a campaign looks at few of them.
 *
 * A number that cannot be resolved (module of a plain object, file replaced since,
 * table damaged) gives the "unknown" record and never NULL, so reports degrade to
 * fewer names instead of failing. burl_sites_problem() says why.
 *
 * Not thread-safe: lookups fill caches.
 */
#ifndef BURL_BASE_SITES_H
#define BURL_BASE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/nametab.h"
#include "base/sitetab.h"
#include "base/symtab.h"
#include "wire/control.h"

struct burl_sites;

/* Copies both arrays. Objects are not opened yet. BURL_E_FORMAT when the module list contradicts
 * itself (overlapping numbers, object index out of range). */
BURL_MUST_CHECK enum burl_status
burl_sites_new(struct burl_sites **out, const struct burl_wire_object *objects, size_t n_objects,
               const struct burl_wire_module_entry *modules, size_t n_modules,
               struct burl_err *err);

/* A resolver over records the caller has (a store, a test): strings are copied, `id` must be
 * unique and not 0. Never fails. */
struct burl_sites *burl_sites_new_fixed(const struct burl_site_info *infos, size_t n);
void burl_sites_free(struct burl_sites *s);

/* Never NULL. The record lives as long as `s`. */
const struct burl_site_info *burl_sites_get(const struct burl_sites *s, uint32_t id);

/* Path of the executable or shared object that holds the site, "" unknown. */
const char *burl_sites_object(const struct burl_sites *s, uint32_t id);

/* The address of a byte in the object that holds the site, in the process whose modules these are;
 * 0 unknown. */
uint64_t burl_sites_address(const struct burl_sites *s, uint32_t id, uint64_t offset);

/* The number of (module, index), 0 when this program has no such module or index. */
uint32_t burl_sites_find_index(const struct burl_sites *s, uint64_t module_hash, uint32_t index);

/* A site as a person would describe it: what survives a rebuild. */
struct burl_site_key {
    const char *file;
    uint32_t line;
    uint32_t column;
    uint8_t  kind; /* enum burl_wire_site_kind; range and plain accesses count as the same */
    const char *func;
    const char *variable;
};

enum burl_site_match {
    BURL_SITE_MATCH_NONE = 0,
    BURL_SITE_MATCH_EXACT, /* file, line, column, kind, function and variable agree */
    BURL_SITE_MATCH_MOVED  /* function, kind and variable agree, the nearest line was taken */
};

/* Looks through all modules (loads them all). *id is 0 for NONE. Among equal candidates the
 * lowest number wins. `how_many` (may be NULL): candidates that were equally good; above 1 the
 * answer is a guess. */
enum burl_site_match burl_sites_find_key(const struct burl_sites *s,
                                         const struct burl_site_key *key, uint32_t *id,
                                         size_t *how_many);

/* Text of the source line without its newline, or NULL when the file or line is not there.
 * Relative paths are tried against the compile directory, then as they are. `offset`: lines after
 * the site's own. Files are read once and kept. A file changed after the build gives the wrong
 * text; burl_sites_source_stale() tells. */
const char *burl_sites_source_line(const struct burl_sites *s, const struct burl_site_info *site,
                                   uint32_t offset);

/* True when the source file was modified after the object that holds the site was linked. */
bool burl_sites_source_stale(const struct burl_sites *s, const struct burl_site_info *site);

/* True for code that is not the user's own: system headers and libraries. */
bool burl_site_is_system(const struct burl_site_info *site);

/* Its "variable" is the callee. */
bool burl_site_is_call(const struct burl_site_info *site);

/* The FUNC site of the function that holds the site; the site itself when that is not known. */
uint32_t burl_site_function(const struct burl_site_info *site);

/* The global variable that holds `addr` of the process whose modules these are; false when no file
 * with instrumented code has one there. */
bool burl_sites_symbol(const struct burl_sites *s, uint64_t addr, struct burl_symbol *out);
/* The file whose code holds `pc` of that process, and the address in it. False: none does. *own: it
 * has instrumented code. */
bool burl_sites_code(const struct burl_sites *s, uint64_t pc, const char **path, uint64_t *addr,
                     bool *own);
/* Gives a fixed resolver a variable. */
void burl_sites_fix_symbol(struct burl_sites *s, const char *name, uint64_t addr, uint64_t size_b);

/* ---- names as the source has them (base/nametab.h); false or "" when they are not known ---- */

/* What the site accesses. */
bool burl_sites_place(const struct burl_sites *s, uint32_t id, struct burl_place *out);
/* The linker's name of the function with this FUNC site. */
const char *burl_sites_function(const struct burl_sites *s, uint32_t func);
/* The i-th call in the function with this FUNC site; `site` becomes a number, 0 none. */
bool burl_sites_call(const struct burl_sites *s, uint32_t func, size_t i, struct burl_call *out);
bool burl_sites_argument(const struct burl_sites *s, const struct burl_call *call,
                         uint32_t position, struct burl_place *out);
/* Appends the global and the member of it that hold these bytes: "accounts[1].m". */
bool burl_sites_member(const struct burl_sites *s, uint64_t addr, uint64_t want_b,
                       struct burl_buf *out);

/* First reason why something could not be resolved, NULL when there was none. */
const char *burl_sites_problem(const struct burl_sites *s);

#endif
