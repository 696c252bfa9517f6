/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/set.c - the set of covered items: naming, merging, writing.
 *
 * Runs in the host. The number of a site differs between builds and between orders of shared
 * objects; so an item gets the names of its sites when it arrives and keeps only these. Two
 * campaigns are merged by union; the first execution is kept.
 *
 * An item of a changed module no longer counts as covered: it stays in the store and is not
 * counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "cover/cover_int.h"

/* ---- the hash ---------------------------------------------------------------------- */

static bool
same_name(struct burl_store_cover_name x, struct burl_store_cover_name y)
{
    return x.module == y.module && x.value == y.value;
}

static bool
same_item(const struct burl_store_cover_item *x, const struct burl_store_cover_item *y)
{
    return x->metric == y->metric && same_name(x->a, y->a) && same_name(x->b, y->b) &&
           same_name(x->c, y->c) && x->d == y->d && x->build == y->build;
}

static uint64_t
hash_item(const struct burl_store_cover_item *x)
{
    uint64_t h = burl_wire_mix(x->metric + 1u, x->a.module);

    h = burl_wire_mix(h, (uint64_t)x->a.value << 32 | x->b.value);
    h = burl_wire_mix(h, x->b.module);
    h = burl_wire_mix(h, x->c.module);
    h = burl_wire_mix(h, x->build);
    return burl_wire_mix(h, (uint64_t)x->c.value << 32 | x->d);
}

static bool
is_entry(const void *entries, uint64_t i, const void *x)
{
    return same_item(&((const struct burl_cover_entry *)entries)[i].x, x);
}

/* ---- presence ---------------------------------------------------------------------- */

const struct burl_wire_module_entry *
burl__cover_module(const struct burl_cover *c, uint64_t hash)
{
    for (size_t i = 0; i < c->image.n_modules; i++) {
        if (c->image.modules[i].hash == hash)
            return &c->image.modules[i];
    }
    return NULL;
}

const struct burl_site_info *
burl__cover_site_info(const struct burl_cover *c, struct burl_store_cover_name name)
{
    return burl_sites_get(c->sites, burl_sites_find_index(c->sites, name.module, name.value));
}

static bool
is_there(const struct burl_cover *c, struct burl_store_cover_name name)
{
    return name.module == 0 || burl__cover_module(c, name.module) != NULL;
}

static bool
is_present(const struct burl_cover *c, const struct burl_store_cover_item *x)
{
    return is_there(c, x->a) && is_there(c, x->b) && is_there(c, x->c);
}

static void
judge_entry(struct burl_cover *c, struct burl_cover_entry *e)
{
    e->present = is_present(c, &e->x);
    e->current = e->present && (e->x.build == 0 || e->x.build == c->build);
    c->counts[e->x.metric] += e->current;
}

/*
 * The runtime hashes the identity of a thread, the memory, and the calls of a context from numbers
 * of the process: the hashes are equal in every process of one build, and in no other.
 */
static bool
has_hash(const struct burl_store_cover_item *x)
{
    switch (x->metric) {
    case BURL_METRIC_LOCPAIRS:
        return x->c.value != 0 || x->d != 0;
    case BURL_METRIC_HBPAIRS:
    case BURL_METRIC_AVIO:
    case BURL_METRIC_GOLDISC:
    case BURL_METRIC_BLOCKS:
        return true;
    default:
        return false;
    }
}

static uint64_t
hash_image(const struct burl_store_cover_image *image)
{
    uint64_t n_objects = image->n_objects;
    uint64_t h;

    /* Code loaded later is appended, and changes no number. */
    for (size_t i = 0; i < image->n_modules; i++) {
        if (image->modules[i].late && image->modules[i].object < n_objects)
            n_objects = image->modules[i].object;
    }
    h = burl_hash_u64(BURL_HASH_BEGIN, n_objects);
    for (size_t i = 0; i < image->n_modules && !image->modules[i].late; i++) {
        h = burl_hash_u64(h, image->modules[i].hash);
        h = burl_hash_u64(h, (uint64_t)image->modules[i].base << 32 | image->modules[i].object);
    }
    return burl_hash_end(h) | 1;
}

/* Anew for the build of the image. */
static void
count_present(struct burl_cover *c)
{
    c->build = hash_image(&c->image);
    memset(c->counts, 0, sizeof c->counts);
    for (size_t i = 0; i < c->items.n; i++)
        judge_entry(c, &c->items.v[i]);
}

uint32_t
burl_cover_late_number(const struct burl_cover *c, uint64_t module, uint32_t index)
{
    const struct burl_wire_module_entry *m = burl__cover_module(c, module);

    return m && m->late && index < m->n_sites ? m->base + index : 0;
}

/* ---- items ------------------------------------------------------------------------- */

static bool
add_entry(struct burl_cover *c, const struct burl_store_cover_item *x)
{
    struct burl_cover_entry e = { .x = *x };
    uint64_t i = c->items.n;

    if (burl_map_find_or_add(&c->by_content, hash_item(x), is_entry, c->items.v, x, &i))
        return false;
    judge_entry(c, &e);
    BURL_VEC_PUSH(&c->items, e);
    return true;
}

/* Site 0 is "none" and has the name (0, 0). False when the image does not have the site. */
static bool
name_site(const struct burl_cover *c, uint32_t id, struct burl_store_cover_name *out)
{
    *out = (struct burl_store_cover_name){ 0 };
    if (id == 0)
        return true;
    for (size_t i = 0; i < c->image.n_modules && id < c->unlike; i++) {
        const struct burl_wire_module_entry *m = &c->image.modules[i];

        if (id >= m->base && id - m->base < m->n_sites) {
            out->module = m->hash;
            out->value = id - m->base;
            return true;
        }
    }
    return false;
}

static bool
name_field(const struct burl_cover *c, uint8_t metric, unsigned field, uint32_t value,
           struct burl_store_cover_name *out)
{
    if (burl_wire_metric_sites(metric) & 1u << field)
        return name_site(c, value, out);
    *out = (struct burl_store_cover_name){ .value = value };
    return true;
}

bool
burl_cover_add(struct burl_cover *c, const struct burl_wire_cover_item *item, const char *strategy,
               uint64_t execution)
{
    struct burl_store_cover_item x = {
        .metric = item->metric,
        .flags = item->flags,
        .d = item->d,
        .execution = c->base_executions + execution,
        .seed = item->seed,
        .strategy = strategy,
    };

    if (item->metric >= BURL_METRIC__N)
        return false;
    if (!name_field(c, x.metric, 0, item->a, &x.a) || !name_field(c, x.metric, 1, item->b, &x.b) ||
        !name_field(c, x.metric, 2, item->c, &x.c)) {
        c->unresolved++;
        return false;
    }
    /* The pair has no order, and that of the process's numbers is not one to keep. */
    if (x.metric == BURL_METRIC_CONCMETHODS &&
        (x.b.module < x.a.module || (x.b.module == x.a.module && x.b.value < x.a.value))) {
        const struct burl_store_cover_name a = x.a;

        x.a = x.b;
        x.b = a;
    }
    if (has_hash(&x))
        x.build = c->build;
    if (!add_entry(c, &x))
        return false;
    c->grew = true;
    if (execution > c->last_growth)
        c->last_growth = execution;
    return true;
}

uint64_t
burl_cover_count(const struct burl_cover *c, uint8_t metric)
{
    return metric < BURL_METRIC__N ? c->counts[metric] : 0;
}

/* ---- the store --------------------------------------------------------------------- */

/* There are a handful of strategies and thousands of items. */
static const char *
intern_strategy(struct burl_cover *c, const char *name)
{
    for (size_t i = 0; i < c->strategies.n; i++) {
        if (strcmp(c->strategies.v[i], name) == 0)
            return c->strategies.v[i];
    }
    BURL_VEC_PUSH(&c->strategies, burl_xstrdup(name));
    return c->strategies.v[c->strategies.n - 1];
}

static void
take_stored(void *arg, const struct burl_store_cover_item *item)
{
    struct burl_cover *c = arg;
    struct burl_store_cover_item x = *item;

    x.strategy = intern_strategy(c, item->strategy);
    add_entry(c, &x);
}

static void
count_schedule(void *arg, const struct burl_store_cover_schedule *x)
{
    struct burl_cover *c = arg;

    (void)x;
    c->n_schedules++;
}

static enum burl_status
make_sites(struct burl_cover *c, struct burl_err *err)
{
    burl_sites_free(c->sites);
    c->sites = NULL;
    return burl_sites_new(&c->sites, c->image.objects, c->image.n_objects, c->image.modules,
                          c->image.n_modules, err);
}

/* What the program had before this campaign. */
static void
set_base(struct burl_cover *c)
{
    c->base_executions = c->program.executions;
    c->base_wall_ms = c->program.wall_ms;
    c->base_lost = c->program.lost;
}

static enum burl_status
load_program(struct burl_cover *c, struct burl_err *err)
{
    const int64_t id = c->program.id;
    enum burl_status st = burl_store_cover_image_get(c->store, id, &c->image, err);

    if (st == BURL_OK)
        st = make_sites(c, err);
    c->build = hash_image(&c->image);
    if (st == BURL_OK)
        st = burl_store_cover_items(c->store, id, take_stored, c, err);
    if (st == BURL_OK)
        st = burl_store_cover_schedules(c->store, id, count_schedule, c, err);
    c->n_stored = c->items.n;
    set_base(c);
    return st;
}

enum burl_status
burl_cover_open(struct burl_cover **out, struct burl_store *s, const char *path,
                struct burl_err *err)
{
    struct burl_cover *c = burl_xcalloc(1, sizeof *c);
    bool found;
    enum burl_status st;

    *out = NULL;
    c->store = s;
    st = burl_store_cover_get(s, path, &found, &c->program, err);
    if (st == BURL_OK && !found && !path)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "nothing has been covered yet in %s; run `burl cover ./program` first",
                          burl_store_dir(s));
    if (st == BURL_OK && found)
        st = load_program(c, err);
    if (st == BURL_OK && !found)
        c->program.path = burl_xstrdup(path);
    if (st != BURL_OK) {
        burl_cover_free(c);
        return st;
    }
    *out = c;
    return BURL_OK;
}

void
burl_cover_free(struct burl_cover *c)
{
    if (!c)
        return;
    burl_store_cover_program_deinit(&c->program);
    burl_store_cover_image_deinit(&c->image);
    burl_sites_free(c->sites);
    BURL_VEC_FREE(&c->items);
    burl_map_deinit(&c->by_content);
    for (size_t i = 0; i < c->strategies.n; i++)
        free(c->strategies.v[i]);
    BURL_VEC_FREE(&c->strategies);
    free(c);
}

const struct burl_store_cover_program *
burl_cover_program(const struct burl_cover *c)
{
    return &c->program;
}

const struct burl_sites *
burl_cover_sites(const struct burl_cover *c)
{
    return c->sites;
}

static enum burl_status
take_image(struct burl_cover *c, const struct burl_store_cover_image *image, struct burl_err *err)
{
    burl_store_cover_image_deinit(&c->image);
    c->image.objects = burl_xmemdup(image->objects, image->n_objects * sizeof *image->objects);
    c->image.n_objects = image->n_objects;
    c->image.modules = burl_xmemdup(image->modules, image->n_modules * sizeof *image->modules);
    c->image.n_modules = image->n_modules;
    c->unlike = UINT32_MAX;
    count_present(c);
    return make_sites(c, err);
}

/* Is it what the image of an earlier campaign began with, before more was loaded? */
static bool
is_beginning(const struct burl_store_cover_image *image, const struct burl_store_cover_image *of)
{
    if (image->n_modules >= of->n_modules || image->n_objects > of->n_objects ||
        !of->modules[image->n_modules].late)
        return false;
    for (size_t i = 0; i < image->n_modules; i++) {
        if (image->modules[i].hash != of->modules[i].hash ||
            image->modules[i].base != of->modules[i].base ||
            image->modules[i].object != of->modules[i].object)
            return false;
    }
    return true;
}

enum burl_status
burl_cover_begin(struct burl_cover *c, const struct burl_store_cover_program *p,
                 const struct burl_store_cover_image *image, struct burl_err *err)
{
    struct burl_store_cover_program row = *p;
    struct burl_store_cover_program now;
    enum burl_status st = BURL_OK;
    int64_t id;
    bool found;

    c->unlike = UINT32_MAX;
    c->late_kept = is_beginning(image, &c->image);
    if (!c->late_kept)
        st = take_image(c, image, err);
    row.path = c->program.path;
    if (st == BURL_OK)
        st = burl_store_cover_begin(c->store, &row, &c->image, &id, err);
    if (st == BURL_OK)
        st = burl_store_cover_get(c->store, row.path, &found, &now, err);
    if (st != BURL_OK)
        return st;
    burl_store_cover_program_deinit(&c->program);
    c->program = now;
    set_base(c);
    c->grew = false;
    c->last_growth = 0;
    c->unresolved = 0;
    return BURL_OK;
}

/* The first number that is not the same in both. */
static uint32_t
first_unlike(const struct burl_store_cover_image *x, const struct burl_store_cover_image *y)
{
    for (size_t i = 0; i < x->n_modules && i < y->n_modules; i++) {
        if (x->modules[i].hash != y->modules[i].hash || x->modules[i].base != y->modules[i].base)
            return x->modules[i].base < y->modules[i].base ? x->modules[i].base
                                                           : y->modules[i].base;
    }
    return UINT32_MAX;
}

enum burl_status
burl_cover_loaded(struct burl_cover *c, const struct burl_store_cover_image *image,
                  struct burl_err *err)
{
    enum burl_status st;

    c->unlike = first_unlike(&c->image, image);
    if (c->unlike == UINT32_MAX && image->n_modules <= c->image.n_modules)
        return BURL_OK;
    /* Modules of an earlier campaign are replaced by the current ones. */
    if (c->unlike != UINT32_MAX && !c->late_kept)
        return BURL_OK;
    c->late_kept = false;
    st = take_image(c, image, err);
    return st == BURL_OK ? burl_store_cover_image_put(c->store, c->program.id, &c->image, err) : st;
}

enum burl_status
burl_cover_flush(struct burl_cover *c, uint64_t executions, uint64_t wall_ms, uint64_t lost,
                 struct burl_err *err)
{
    const size_t n = c->items.n - c->n_stored;
    struct burl_store_cover_item *fresh = burl_xcalloc(n + 1, sizeof *fresh);
    enum burl_status st;

    c->program.executions = c->base_executions + executions;
    c->program.wall_ms = c->base_wall_ms + wall_ms;
    c->program.lost = c->base_lost + lost + c->unresolved;
    for (size_t i = 0; i < n; i++)
        fresh[i] = c->items.v[c->n_stored + i].x;
    st = burl_store_cover_put(c->store, c->program.id, fresh, n, c->program.executions,
                              c->program.wall_ms, c->program.lost, err);
    if (st == BURL_OK)
        c->n_stored += n;
    free(fresh);
    return st;
}

enum burl_status
burl_cover_set_mode(struct burl_cover *c, const char *mode, struct burl_err *err)
{
    free((char *)c->program.mode);
    c->program.mode = burl_xstrdup(mode);
    return burl_store_cover_set_mode(c->store, c->program.id, mode, err);
}

char *
burl__cover_build(const struct burl_cover *c)
{
    return burl_xasprintf("%s %s", c->program.build_id ? c->program.build_id : "",
                          c->program.args ? c->program.args : "");
}

enum burl_status
burl_cover_hunted(struct burl_cover *c, const struct burl_store_cover_hunt *h, struct burl_err *err)
{
    struct burl_store_cover_hunt row = *h;
    char *build = burl__cover_build(c);
    enum burl_status st;

    row.build = build;
    st = burl_store_cover_hunt_put(c->store, c->program.id, &row, err);
    free(build);
    return st;
}

static void
remove_schedule(void *arg, const struct burl_store_cover_schedule *x)
{
    const struct burl_cover *c = arg;
    char *path = burl_path_join(burl_store_dir(c->store), x->file);
    struct burl_err ignored;

    /* A leftover file is harmless; its row is gone. */
    if (burl_fs_remove_tree(path, &ignored) != BURL_OK)
        ignored.code = BURL_OK;
    free(path);
}

enum burl_status
burl_cover_reset(struct burl_cover *c, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (c->program.id != 0)
        st = burl_store_cover_schedules(c->store, c->program.id, remove_schedule, c, err);
    if (st == BURL_OK && c->program.id != 0)
        st = burl_store_cover_forget(c->store, c->program.id, err);
    if (st != BURL_OK)
        return st;
    c->program.id = 0;
    c->program.executions = 0;
    c->program.wall_ms = 0;
    c->program.lost = 0;
    c->program.campaigns = 0;
    set_base(c);
    c->n_schedules = 0;
    c->n_stored = 0;
    c->items.n = 0;
    burl_map_deinit(&c->by_content);
    count_present(c);
    return BURL_OK;
}
