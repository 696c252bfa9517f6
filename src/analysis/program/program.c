/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/program.c - see program.h. Host side.
 *
 * The records of .burl.bc are decoded one after the other into one LLVM context. They are not
 * linked into one module: linking would rename, drop and merge, and the site numbers are per
 * module. Names are resolved by symbols.c instead.
 *
 * What is read here lives until burl-analyze ends, which frees nothing of it: taking modules apart
 * costs as much as reading them.
 *
 * The same record may come in several times (an archive linked into the executable and into a
 * shared object): it is loaded once, since (hash, index) is all that a site is.
 */
#include "analysis/program/program.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/symbols.h"
#include "analysis/program/valmap.h"
#include "base/bcrecord.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/linereader.h"
#include "base/needed.h"

/* Of a file that is read at once. */
#define MAX_BITCODE_B ((size_t)1 << 32)
#define MAX_LIST_B ((size_t)1 << 28)

struct burl_program_int {
    struct burl_symbols symbols;
    struct burl_valmap module_of; /* LLVMModuleRef -> index */
    BURL_VEC(uint32_t) file_of;   /* module -> number of its file */
    struct burl_sitetab *sites;
    struct burl_valmap libfn_of; /* function -> index into libfns */
    BURL_VEC(struct burl_libfn) libfns;
    uint32_t traits; /* of all functions */
    unsigned md_site;
    struct burl_buf diagnostic; /* LLVM's first error */
};

static bool
is_known(const struct burl_program *p, uint64_t hash)
{
    for (size_t i = 0; i < p->modules.n; i++)
        if (p->modules.v[i].hash == hash)
            return true;
    return false;
}

static enum burl_status
add_module(struct burl_program *p, const struct burl_bcrecord *r, const char *object, uint32_t file,
           struct burl_err *err)
{
    LLVMModuleRef mod;

    LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(r->bytes, r->n, r->name);
    bool failed = LLVMParseBitcodeInContext2(p->ctx, buf, &mod);
    LLVMDisposeMemoryBuffer(buf);
    if (failed)
        return burl_err_set(err, BURL_E_FORMAT, 0, "%s: the bitcode of %s does not decode (%s)",
                            object, r->name, burl_buf_str(&p->own->diagnostic));
    /* One form of debug records for every reader. */
    LLVMSetIsNewDbgInfoFormat(mod, 0);
    burl_valmap_set(&p->own->module_of, mod, (uint32_t)p->modules.n);
    BURL_VEC_PUSH(&p->own->file_of, file);
    struct burl_program_module *m = BURL_VEC_ADD(&p->modules);
    m->mod = mod;
    p->td = LLVMGetModuleDataLayout(mod);
    m->hash = r->hash;
    m->name = burl_xstrdup(r->name);
    m->object = burl_xstrdup(object);
    burl_symbols_add(&p->own->symbols, mod, file);
    return BURL_OK;
}

/* Where the records of a file go. */
struct reading {
    struct burl_program *p;
    const char *path;
    uint32_t file;
};

static enum burl_status
add_record(void *arg, const struct burl_bcrecord *r, struct burl_err *err)
{
    const struct reading *in = arg;

    return is_known(in->p, r->hash) ? BURL_OK : add_module(in->p, r, in->path, in->file, err);
}

static enum burl_status
read_file(struct burl_program *p, const char *path, uint32_t file, struct burl_err *err)
{
    struct reading in = { p, path, file };
    size_t before = p->modules.n;
    enum burl_status st = burl_bcrecord_each(path, add_record, &in, err);

    if (st == BURL_OK && p->modules.n > before)
        st = burl_sitetab_add_file(p->own->sites, path, NULL, err);
    burl_symbols_publish(&p->own->symbols, file);
    if (st == BURL_OK && p->modules.n == before && !burl_needed_is_system(path) &&
        !strstr(path, "libburl_rt.so"))
        BURL_VEC_PUSH(&p->problems,
                      burl_xasprintf("%s has no bitcode: it was not built by burl-cc", path));
    return st;
}

static void
find_missing_sites(struct burl_program *p)
{
    size_t ix;

    for (size_t i = 0; i < p->modules.n; i++)
        if (!burl_sitetab_find(p->own->sites, p->modules.v[i].hash, &ix))
            BURL_VEC_PUSH(&p->problems,
                          burl_xasprintf("%s: bitcode of %s has no site table",
                                         p->modules.v[i].object, p->modules.v[i].name));
}

static void
list_functions(struct burl_program *p)
{
    for (size_t i = 0; i < p->modules.n; i++) {
        LLVMModuleRef mod = p->modules.v[i].mod;
        for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f)) {
            p->own->traits |= burl_program_libfn(p, f).is;
            if (!LLVMIsDeclaration(f) && burl_program_definition(p, f) == f)
                BURL_VEC_PUSH(&p->functions, f);
        }
    }
}

static void
init(struct burl_program *p)
{
    memset(p, 0, sizeof *p);
    p->own = burl_xcalloc(1, sizeof *p->own);
    burl_buf_init(&p->own->diagnostic, 4096);
    p->own->sites = burl_sitetab_new();
    p->ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(p->ctx, burl_ir_keep_diagnostic, &p->own->diagnostic);
    p->own->md_site = LLVMGetMDKindIDInContext(p->ctx, BURL_IR_MD_SITE, strlen(BURL_IR_MD_SITE));
}

enum burl_status
burl_program_open(struct burl_program *p, const char *path, const char *const *more, size_t n_more,
                  struct burl_err *err)
{
    struct burl_needed files;
    uint32_t n_files = 0;

    memset(p, 0, sizeof *p);
    enum burl_status st = burl_needed_find(&files, path, err);
    if (st != BURL_OK)
        return st;
    init(p);
    for (size_t i = 0; st == BURL_OK && i < files.paths.n; i++)
        st = read_file(p, files.paths.v[i], n_files++, err);
    for (size_t i = 0; st == BURL_OK && i < n_more; i++)
        st = read_file(p, more[i], n_files++, err);
    for (size_t i = 0; i < files.missing.n; i++)
        BURL_VEC_PUSH(&p->problems,
                      burl_xasprintf("shared object %s was not found", files.missing.v[i]));
    if (st == BURL_OK && p->modules.n == 0)
        st = burl_err_set(err, BURL_E_TARGET, 0,
                          "%s has no bitcode in it; build it with `burl-cc` (or `burl-c++`)", path);
    if (st != BURL_OK)
        return st;
    find_missing_sites(p);
    list_functions(p);
    return BURL_OK;
}

/* The number of the file `object`, in the order of their first modules. */
static uint32_t
number_file(const struct burl_program *p, struct burl_span object, uint32_t *n_files)
{
    for (size_t i = 0; i < p->modules.n; i++)
        if (burl_span_is(object, p->modules.v[i].object))
            return p->own->file_of.v[i];
    return (*n_files)++;
}

/* Takes the bytes before the next tab; the rest of the line for the last column. */
static struct burl_span
take_column(struct burl_linereader *r, bool last)
{
    const char *tab = last ? NULL : memchr(r->rest.p, '\t', r->rest.n);
    struct burl_span s = { r->rest.p, tab ? (size_t)(tab - r->rest.p) : r->rest.n };
    size_t skip = s.n + (tab ? 1 : 0);

    r->rest.p += skip;
    r->rest.n -= skip;
    return s;
}

static enum burl_status
read_list_line(struct burl_program *p, struct burl_linereader *r, uint32_t *n_files,
               struct burl_err *err)
{
    struct burl_span path = take_column(r, false), hash = take_column(r, false);
    struct burl_span object = take_column(r, false), name = take_column(r, true);
    struct burl_bcrecord rec = { 0 };
    char *bytes;

    if (!path.n || !object.n || !name.n || !burl_span_number(hash, 16, UINT64_MAX, &rec.hash))
        return burl_linereader_fail(r, BURL_E_FORMAT, err,
                                    "not a line of path, hash, object and name");
    if (is_known(p, rec.hash))
        return BURL_OK;
    char *file = burl_xstrndup(path.p, path.n);
    enum burl_status st = burl_fs_read_file(file, MAX_BITCODE_B, &bytes, &rec.n, err);
    free(file);
    if (st != BURL_OK)
        return st;
    char *key = burl_xstrndup(object.p, object.n), *source = burl_xstrndup(name.p, name.n);
    rec.name = source;
    rec.bytes = bytes;
    st = add_module(p, &rec, key, number_file(p, object, n_files), err);
    free(bytes);
    free(key);
    free(source);
    return st;
}

enum burl_status
burl_program_open_list(struct burl_program *p, const char *list, struct burl_err *err)
{
    struct burl_linereader r;
    uint32_t n_files = 0;
    char *text;
    size_t n;

    memset(p, 0, sizeof *p);
    enum burl_status st = burl_fs_read_file(list, MAX_LIST_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    init(p);
    st = burl_linereader_open(&r, list, text, n, BURL_E_FORMAT, err);
    while (st == BURL_OK && burl_linereader_next(&r))
        if (r.rest.n)
            st = read_list_line(p, &r, &n_files, err);
    free(text);
    if (st == BURL_OK && p->modules.n == 0)
        st = burl_err_set(err, BURL_E_FORMAT, 0, "%s names no module", list);
    if (st != BURL_OK)
        return st;
    for (uint32_t i = 0; i < n_files; i++)
        burl_symbols_publish(&p->own->symbols, i);
    list_functions(p);
    return BURL_OK;
}

static LLVMModuleRef
parent_of(LLVMValueRef v)
{
    return LLVMGetGlobalParent(LLVMIsAGlobalValue(v) ? v : burl_ir_function(v));
}

uint32_t
burl_program_module_of(const struct burl_program *p, LLVMValueRef v)
{
    uint32_t ix = UINT32_MAX;
    bool known = burl_valmap_get(&p->own->module_of, parent_of(v), &ix);

    BURL_ASSERT(known);
    return ix;
}

LLVMValueRef
burl_program_definition(const struct burl_program *p, LLVMValueRef v)
{
    if (!LLVMIsAGlobalValue(v))
        return v;
    uint32_t file = p->own->file_of.v[burl_program_module_of(p, v)];
    return burl_symbols_resolve(&p->own->symbols, v, file);
}

struct burl_libfn
burl_program_libfn(const struct burl_program *p, LLVMValueRef fn)
{
    struct burl_program_int *own = p->own;
    uint32_t ix = (uint32_t)own->libfns.n;

    if (!fn)
        return (struct burl_libfn){ 0 };
    if (!burl_valmap_find_or_add(&own->libfn_of, fn, &ix))
        BURL_VEC_PUSH(&own->libfns, burl_libfn(burl_ir_name(fn)));
    return own->libfns.v[ix];
}

bool
burl_program_has_traits(const struct burl_program *p, uint32_t traits)
{
    return (p->own->traits & traits) != 0;
}

uint32_t
burl_program_site_of(const struct burl_program *p, LLVMValueRef inst)
{
    return burl_ir_site(inst, p->own->md_site);
}

bool
burl_program_site(const struct burl_program *p, uint32_t module, uint32_t index,
                  struct burl_site_info *out)
{
    return burl_sitetab_site(p->own->sites, p->modules.v[module].hash, index, out);
}

/* With --late the optimizer removed accesses that the canonical form still has. */
bool
burl_program_is_late(const struct burl_program *p)
{
    for (size_t i = 0; i < burl_sitetab_n_modules(p->own->sites); i++)
        if (strstr(burl_sitetab_module(p->own->sites, i).producer, "late"))
            return true;
    return false;
}

/* The lists have rows { priority, function, data }. */
void
burl_program_structors(const struct burl_program *p, size_t module, const char *list,
                       void (*each)(void *arg, LLVMValueRef fn), void *arg)
{
    LLVMValueRef g = LLVMGetNamedGlobal(p->modules.v[module].mod, list);
    LLVMValueRef rows = g ? LLVMGetInitializer(g) : NULL;
    unsigned n = rows && LLVMIsAConstantArray(rows) ? (unsigned)LLVMGetNumOperands(rows) : 0;

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef row = LLVMGetOperand(rows, i);
        if (LLVMGetNumOperands(row) >= 2 && LLVMIsAFunction(LLVMGetOperand(row, 1)))
            each(arg, burl_program_definition(p, LLVMGetOperand(row, 1)));
    }
}

/* Do the sites of two functions have the same operations, one by one? */
static bool
same_shape(const struct burl_program *p, uint32_t m1, uint32_t f1, uint32_t m2, uint32_t f2)
{
    for (uint32_t i = 0;; i++) {
        struct burl_site_info a, b;
        bool in_a = burl_program_site(p, m1, f1 + i, &a) && a.func_id == f1;
        bool in_b = burl_program_site(p, m2, f2 + i, &b) && b.func_id == f2;
        if (!in_a || !in_b)
            return in_a == in_b;
        if (a.kind != b.kind || a.line != b.line || a.column != b.column)
            return false;
    }
}

bool
burl_program_copy(const struct burl_program *p, LLVMValueRef fn, uint32_t *first, uint32_t *kept)
{
    LLVMValueRef def = burl_program_definition(p, fn);

    if (def == fn || LLVMIsDeclaration(fn) || LLVMIsDeclaration(def) || !LLVMIsAFunction(def))
        return false;
    *first = burl_ir_func_site(fn);
    *kept = burl_ir_func_site(def);
    return *first != UINT32_MAX && *kept != UINT32_MAX &&
           same_shape(p, burl_program_module_of(p, fn), *first, burl_program_module_of(p, def),
                      *kept);
}
