/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec_seeds.c - makes seeds of the sources that are not the library's.
 *
 * Runs in the host. An object that defines main() is a seed. An object belongs to the library if it
 * defines a public function, or something that an object of the library uses. All others are what
 * seeds have in common, a test framework say, and are linked into each seed. In a seed every use of
 * a public function becomes a use of its recorder, main() gets the number of the seed, and no other
 * symbol stays global, so that many programs fit into one.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/proc.h"
#include "gen/exec/exec_int.h"

#define TOOL_MS 120000

/* A symbol of an object that other objects may define or use. */
struct symbol {
    char *name;
    bool is_defined;
};

struct object {
    BURL_VEC(struct symbol) symbols;
    bool is_library;
    bool is_seed;
};

/* ---- symbols ------------------------------------------------------------------------------- */

static enum burl_status
object_read(struct object *o, const char *path, struct burl_err *err)
{
    struct burl_elf_symbols t;
    struct burl_elf *e;
    enum burl_status st = burl_elf_open(&e, path, err);

    if (st != BURL_OK)
        return st;
    burl_elf_symbols(e, false, &t);
    for (uint64_t i = 0; i < t.n; i++) {
        Elf64_Sym s;
        const char *name = burl_elf_symbol(&t, i, &s);

        if (name[0] != '\0' && ELF64_ST_BIND(s.st_info) != STB_LOCAL)
            BURL_VEC_PUSH(&o->symbols,
                          (struct symbol){ burl_xstrdup(name), s.st_shndx != SHN_UNDEF });
    }
    burl_elf_close(e);
    return BURL_OK;
}

static bool
object_has(const struct object *o, const char *name, bool is_defined)
{
    for (size_t i = 0; i < o->symbols.n; i++) {
        if (o->symbols.v[i].is_defined == is_defined && strcmp(o->symbols.v[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool
defines_public(const struct object *o, const struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        if (!m->fns.v[i].is_ours && !m->fns.v[i].in_header && object_has(o, m->fns.v[i].name, true))
            return true;
    }
    return false;
}

/* Does it call a public function? */
static bool
calls_public(const struct object *o, const struct burl_gen_model *m)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        if (burl_gen_exec_records(&m->fns.v[i]) && object_has(o, m->fns.v[i].name, false))
            return true;
    }
    return false;
}

/* Does `a` use something that `b` defines? */
static bool
uses(const struct object *a, const struct object *b)
{
    for (size_t i = 0; i < a->symbols.n; i++) {
        if (!a->symbols.v[i].is_defined && object_has(b, a->symbols.v[i].name, true))
            return true;
    }
    return false;
}

static void
objects_sort(struct object *all, size_t n, const struct burl_gen_model *m)
{
    bool changed = true;

    for (size_t i = 0; i < n; i++) {
        all[i].is_seed = object_has(&all[i], "main", true);
        all[i].is_library = defines_public(&all[i], m);
    }
    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; all[i].is_library && k < n; k++) {
                if (all[k].is_library || all[k].is_seed || !uses(&all[i], &all[k]))
                    continue;
                all[k].is_library = changed = true;
            }
        }
    }
}

/* ---- one seed ------------------------------------------------------------------------------ */

static enum burl_status
tool_run(const char *const *argv, const char *source, struct burl_err *err)
{
    struct burl_proc_output out;
    char *path;
    enum burl_status st = burl_path_which(&path, argv[0], NULL);

    if (st != BURL_OK)
        return burl_err_set(err, BURL_E_IO, 0,
                            "cannot make a seed of %s: there is no program %s in PATH; install "
                            "the package binutils",
                            source, argv[0]);
    free(path);
    st = burl_proc_capture(
        &out,
        &(struct burl_proc_opts){ .argv = argv, .in = BURL_PROC_NULL, .die_with_parent = true },
        TOOL_MS, 1u << 16, err);
    if (st != BURL_OK)
        return st;
    if (!out.status.exited || out.status.code != 0)
        st = burl_err_set(err, BURL_E_IO, 0, "cannot make a seed of %s: %s failed: %.300s", source,
                          argv[0], out.err ? out.err : "");
    burl_proc_output_deinit(&out);
    return st;
}

/* Does a source before it, of a seed too, have the same name? */
static bool
is_file_named(const char *const *sources, const struct object *all, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (!all[k].is_library &&
            strcmp(burl_path_basename(sources[k]), burl_path_basename(sources[i])) == 0)
            return true;
    }
    return false;
}

/* Each public function and its recorder; `number`: also main() of this seed and the names of files,
 * if not negative. Files get a prefix as well: symbols follow the name of their file, which may be
 * that of a source of the library in another folder. */
static enum burl_status
renames_write(const char *path, const struct burl_gen_model *m, const char *const *sources,
              const struct object *all, size_t n, int number, struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    if (number >= 0)
        burl_buf_printf(&b, "main burl_seed_%d\n", number);
    for (size_t i = 0; i < m->fns.n; i++) {
        if (burl__gen_is_recorded(&m->fns.v[i]))
            burl_buf_printf(&b, "%s burl_rec_%s\n", m->fns.v[i].name, m->fns.v[i].name);
    }
    for (size_t i = 0; number >= 0 && i < n; i++) {
        const char *file = burl_path_basename(sources[i]);

        if (!all[i].is_library && !is_file_named(sources, all, i))
            burl_buf_printf(&b, "%s burl_seed.%s\n", file, file);
    }
    st = burl_fs_write_atomic(path, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    return st;
}

/* Links the seed with what seeds have in common into *made (owned). */
static enum burl_status
seed_make(const struct burl_gen_exec_opts *o, const char *const *sources, const char *const *paths,
          const struct object *all, size_t n, size_t seed, size_t number, char **made,
          struct burl_err *err)
{
    char *joined = burl_xasprintf("%s/seed%zu.joined.o", o->dir, number);
    char *renames = burl_xasprintf("%s/seed%zu.symbols", o->dir, number);
    char *rename_arg = burl_xasprintf("--redefine-syms=%s", renames);
    char *keep = burl_xasprintf("--keep-global-symbol=burl_seed_%zu", number);
    const char **argv = burl_xcalloc(n + 5, sizeof *argv);
    size_t k = 0;
    enum burl_status st;

    *made = burl_xasprintf("%s/seed%zu.o", o->dir, number);
    argv[k++] = "ld";
    argv[k++] = "-r";
    argv[k++] = "-o";
    argv[k++] = joined;
    for (size_t i = 0; i < n; i++) {
        if (i == seed || (!all[i].is_library && !all[i].is_seed))
            argv[k++] = paths[i];
    }
    st = tool_run(argv, sources[seed], err);
    if (st == BURL_OK)
        st = renames_write(renames, o->model, sources, all, n, (int)number, err);
    if (st == BURL_OK)
        st = tool_run((const char *const[]){ "objcopy", rename_arg, joined, NULL }, sources[seed],
                      err);
    if (st == BURL_OK)
        st = tool_run((const char *const[]){ "objcopy", keep, joined, *made, NULL }, sources[seed],
                      err);
    free(argv);
    free(joined);
    free(renames);
    free(rename_arg);
    free(keep);
    return st;
}

/* Public functions that the seed or what seeds have in common calls: by their name, or already by
 * the recorder's. */
static void
seeds_note_used(struct burl__gen_seeds *out, const struct burl_gen_model *m,
                const struct object *all, size_t n)
{
    for (size_t f = 0; f < m->fns.n; f++) {
        char *recorder = burl_xasprintf("burl_rec_%s", m->fns.v[f].name);
        bool used = false;

        for (size_t i = 0; i < n && burl__gen_is_recorded(&m->fns.v[f]); i++)
            used = used || (!all[i].is_library && (object_has(&all[i], recorder, false) ||
                                                   object_has(&all[i], m->fns.v[f].name, false)));
        BURL_VEC_PUSH(&out->used, used);
        free(recorder);
    }
}

/* ---- all ----------------------------------------------------------------------------------- */

void
burl__gen_seeds_deinit(struct burl__gen_seeds *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->v[i].source);
        free(s->v[i].object);
    }
    BURL_VEC_FREE(s);
    for (size_t i = 0; i < s->parts.n; i++)
        free(s->parts.v[i].source);
    BURL_VEC_FREE(&s->parts);
    for (size_t i = 0; i < s->client.n; i++)
        free(s->client.v[i]);
    BURL_VEC_FREE(&s->client);
    BURL_VEC_FREE(&s->used);
    BURL_VEC_FREE(&s->unrecorded);
}

/* Functions of the API whose calls by clients go unseen. */
static void
find_unrecorded(struct burl__gen_seeds *out, const struct burl_gen_model *m,
                const struct object *all, size_t n)
{
    for (size_t f = 0; f < m->fns.n; f++) {
        bool is_used = false;

        for (size_t i = 0; i < n; i++)
            is_used |= !all[i].is_library && object_has(&all[i], m->fns.v[f].name, false);
        if (is_used && !burl__gen_is_recorded(&m->fns.v[f]))
            BURL_VEC_PUSH(&out->unrecorded, (int)f);
    }
}

static enum burl_status
objects_read(struct object **out, const struct burl_gen_model *m, const char *const *objects,
             size_t n, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    *out = burl_xcalloc(n + 1, sizeof **out);
    for (size_t i = 0; st == BURL_OK && i < n; i++)
        st = object_read(&(*out)[i], objects[i], err);
    if (st == BURL_OK)
        objects_sort(*out, n, m);
    return st;
}

static void
objects_free(struct object *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < all[i].symbols.n; k++)
            free(all[i].symbols.v[k].name);
        BURL_VEC_FREE(&all[i].symbols);
    }
    free(all);
}

enum burl_status
burl__gen_seeds_find(struct burl__gen_seeds *out, const struct burl_gen_exec_opts *o,
                     const char *const *sources, const char *const *objects, size_t n,
                     struct burl_err *err)
{
    struct object *all;
    enum burl_status st = objects_read(&all, o->model, objects, n, err);

    for (size_t i = 0; i < n; i++)
        BURL_VEC_PUSH(&out->client, all[i].is_library ? NULL : burl_xstrdup(sources[i]));
    for (size_t i = 0; i < n; i++) {
        if (!all[i].is_library && !all[i].is_seed)
            BURL_VEC_PUSH(&out->parts, (struct burl__gen_part){ burl_xstrdup(sources[i]),
                                                                calls_public(&all[i], o->model) });
    }
    for (size_t i = 0; st == BURL_OK && i < n; i++) {
        if (all[i].is_seed && all[i].is_library)
            st = burl_err_set(err, BURL_E_USAGE, 0,
                              "%s defines both main() and functions of the API: give the test a "
                              "source of its own",
                              sources[i]);
    }
    objects_free(all, n);
    return st;
}

enum burl_status
burl__gen_redirects_write(const char *path, const struct burl_gen_model *m, bool *any,
                          struct burl_err *err)
{
    *any = false;
    for (size_t i = 0; i < m->fns.n; i++)
        *any |= m->fns.v[i].has_body && burl__gen_is_recorded(&m->fns.v[i]);
    return *any ? renames_write(path, m, NULL, NULL, 0, -1, err) : BURL_OK;
}

enum burl_status
burl__gen_seeds_make(struct burl__gen_seeds *out, const struct burl_gen_exec_opts *o,
                     const char *const *sources, const char *const *objects, size_t n,
                     struct burl_err *err)
{
    struct object *all;
    enum burl_status st = objects_read(&all, o->model, objects, n, err);

    if (st == BURL_OK) {
        find_unrecorded(out, o->model, all, n);
        seeds_note_used(out, o->model, all, n);
    }
    for (size_t i = 0; st == BURL_OK && i < n; i++) {
        struct burl__gen_seed s = { .source = NULL };

        if (!all[i].is_seed)
            continue;
        st = seed_make(o, sources, objects, all, n, i, out->n, &s.object, err);
        s.source = burl_xstrdup(sources[i]);
        BURL_VEC_PUSH(out, s);
    }
    objects_free(all, n);
    return st;
}
