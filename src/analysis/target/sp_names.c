/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/sp_names.c - display names of objects, fields and classes.
 *
 * Runs in burl-analyze. LLVM's types have no field names; the site table has them, since it keeps
 * how each access is written in the source ("q->head"). A field is named after the first of its
 * accesses.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"
#include "base/demangle.h"

/* "head" of "q->ring[i].head", NULL when the text does not end in a member. */
static char *
last_member(const char *text)
{
    size_t end = strlen(text);

    while (end > 0 && text[end - 1] == ']') {
        int depth = 0;
        do {
            end--;
            depth += (text[end] == ']') - (text[end] == '[');
        } while (end > 0 && depth > 0);
    }
    size_t start = end;
    while (start > 0 && (isalnum((unsigned char)text[start - 1]) || text[start - 1] == '_'))
        start--;
    bool member = start > 0 && (text[start - 1] == '.' ||
                                (start > 1 && text[start - 1] == '>' && text[start - 2] == '-'));
    return member && start < end ? burl_xstrndup(text + start, end - start) : NULL;
}

static const char *
variable_of(const struct burl__sp *sp, const struct burl__access *a)
{
    struct burl_site_info site;

    (void)burl_program_site(sp->p, a->module, a->site, &site);
    return site.kind == BURL_SITE_CALL ? "" : site.variable; /* free(p): of the function */
}

void
burl__sp_name_fields(struct burl__sp *sp)
{
    for (size_t i = 0; i < sp->accesses.n; i++) {
        const struct burl__access *a = &sp->accesses.v[i];
        if (a->path < BURL__PATH_FIRST)
            continue;
        struct burl__path *p = &sp->paths.v[a->path - BURL__PATH_FIRST];
        if (!p->field)
            p->field = last_member(variable_of(sp, a));
    }
}

/* "main.c:12", or the name of the function it is in. */
static char *
place_of(const struct burl__sp *sp, LLVMValueRef inst)
{
    struct burl_site_info site;

    if (burl_program_site(sp->p, burl_program_module_of(sp->p, inst),
                          burl_program_site_of(sp->p, inst), &site) &&
        site.line) {
        const char *slash = strrchr(site.file, '/');
        return burl_xasprintf("%s:%u", slash ? slash + 1 : site.file, site.line);
    }
    return burl_xstrdup(burl_ir_name(burl_ir_function(inst)));
}

const char *
burl__sp_function_name(const struct burl__sp *sp, LLVMValueRef fn)
{
    struct burl_site_info site;

    (void)burl_program_site(sp->p, burl_program_module_of(sp->p, fn), burl_ir_func_site(fn), &site);
    return *site.func ? site.func : burl_ir_name(fn);
}

static char *
made_at(const struct burl__sp *sp, const char *what, LLVMValueRef at)
{
    if (!at || !LLVMIsAInstruction(at))
        return burl_xstrdup(what);
    char *place = place_of(sp, at);
    char *text = burl_xasprintf("%s %s", what, place);
    free(place);
    return text;
}

char *
burl__sp_global_name(LLVMValueRef global)
{
    return burl_demangle(global ? burl_ir_name(global) : "memory");
}

static char *
global_object_name(const char *kind, LLVMValueRef global)
{
    char *name = burl__sp_global_name(global);
    char *text = burl_xasprintf("%s %s", kind, name);

    free(name);
    return text;
}

char *
burl__sp_object_name(const struct burl__sp *sp, uint32_t object)
{
    const struct burl_pts_object *o = burl_pts_object(sp->pts, object);

    switch (o->kind) {
    case BURL_PTS_GLOBAL:
        return global_object_name("global", o->at);
    case BURL_PTS_TLS:
        return global_object_name("thread-local", o->at);
    case BURL_PTS_STACK:
        if (o->at && LLVMIsAInstruction(o->at))
            return burl_xasprintf("stack of %s",
                                  burl__sp_function_name(sp, burl_ir_function(o->at)));
        return burl_xstrdup("stack");
    case BURL_PTS_HEAP:
        return made_at(sp, "heap", o->at);
    default:
        return made_at(sp, "memory of a library,", o->at);
    }
}

char *
burl__sp_class_name(const struct burl__sp *sp, uint32_t leaf, uint32_t path, uint32_t access)
{
    const struct burl_pts_leaf *l = burl_pts_leaf(sp->pts, leaf);
    const struct burl_pts_object *o = burl_pts_object(sp->pts, l->object);
    const struct burl__path *p =
        path >= BURL__PATH_FIRST ? &sp->paths.v[path - BURL__PATH_FIRST] : NULL;
    const char *variable = variable_of(sp, &sp->accesses.v[access]);

    if (p && p->field)
        return burl_xasprintf("%s.%s", p->type, p->field);
    if (o->kind == BURL_PTS_GLOBAL || o->kind == BURL_PTS_TLS) {
        char *name = burl__sp_global_name(o->at);
        char *text = l->offset_b
                         ? burl_xasprintf("%s, byte %llu", name, (unsigned long long)l->offset_b)
                         : burl_xasprintf("%s%s", name, l->array ? "[]" : "");
        free(name);
        return text;
    }
    if (p)
        return burl_xasprintf("%s, byte %llu", p->type, (unsigned long long)p->offset_b);
    if (*variable)
        return burl_xstrdup(variable);
    char *name = burl__sp_object_name(sp, l->object);
    char *text = burl_xasprintf("%s, byte %llu", name, (unsigned long long)l->offset_b);
    free(name);
    return text;
}
