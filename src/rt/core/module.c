/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/module.c - the instrumented modules of this process and the files they came from.
 *
 * Every translation unit registers from a constructor of the highest priority, in link order, so
 * site numbers are the same in every process of the same binary. Number 0 means "unknown".
 *
 * The modules of a shared object that is loaded while the program runs follow. The executions of a
 * fork server may load such objects in different orders, so a module gets the numbers that an
 * earlier execution has published for it; published numbers never change.
 */
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"
#include "module.h"
#include "op.h"
#include "sys.h"
#include "upcalls.h"
#include "verdict.h"

#define MAX_PENDING BURL_WIRE_MAX_MODULES

static struct burl_wire_module *modules[MAX_PENDING];
static uint32_t n_modules;
static uint32_t n_sites = 1;
static bool published;
static uint32_t version = BURL_WIRE_VERSION; /* of the modules; another one when one has it */

struct range {
    uintptr_t start;
    uintptr_t end;
};

static struct range runtime_text;
static struct range libc_text;
static struct range loader_text;

/* Writable data of the program and its libraries, as loaded before main. */
#define MAX_DATA 256u
static struct range data[MAX_DATA];
static uint32_t n_data;

/* The same of what is loaded while the program runs. Schedules load in different orders, so an
 * address in there means a variable in one execution only; the number of the file's first site and
 * the offset mean it in all. */
#define MAX_LATE 256u
static struct late {
    struct range range;
    uintptr_t bias;
    uint64_t name; /* hash of the file's name */
    uint32_t site;
} late[MAX_LATE];
static uint32_t n_late;

static bool
is_loaded(uint32_t base)
{
    for (uint32_t i = 0; i < n_modules; i++) {
        if (modules[i]->base == base)
            return !burl__module_is_gone(modules[i]);
    }
    return false;
}

/* Where its numbers begin: where they did before, else behind all that were ever given out. */
static uint32_t
base_for(const struct burl_wire_module *m)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    if (!published)
        return n_sites;
    for (uint32_t i = 0; i < ctl->n_modules && i < BURL_WIRE_MAX_MODULES; i++) {
        const struct burl_wire_module_entry *e = &ctl->modules[i];

        if (e->late != 0 && e->hash == m->hash && e->n_sites == m->n_sites && !is_loaded(e->base))
            return e->base;
    }
    return ctl->n_sites > n_sites ? ctl->n_sites : n_sites;
}

/* Bases ascend. A module that is loaded again stands where its copy was. */
static void
insert_module(struct burl_wire_module *m)
{
    uint32_t at = n_modules;

    for (uint32_t i = 0; i < n_modules; i++) {
        if (modules[i]->base == m->base) {
            modules[i] = m;
            return;
        }
    }
    if (n_modules == MAX_PENDING)
        return;
    while (at > 0 && modules[at - 1]->base > m->base) {
        modules[at] = modules[at - 1];
        at--;
    }
    modules[at] = m;
    n_modules++;
}

static uint64_t
hash_name(const char *s)
{
    uint64_t h = 0;

    for (; *s != '\0'; s++)
        h = burl_wire_mix(h, (unsigned char)*s);
    return h;
}

/* A library that was closed may have lain there. */
static void
forget_late(const struct range *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_late; i++) {
        if (late[i].range.end <= r->start || r->end <= late[i].range.start)
            late[n++] = late[i];
    }
    n_late = n;
}

static bool
within(const struct range *r, uintptr_t pc)
{
    return pc - r->start < r->end - r->start;
}

/* Steps *i past the next loaded segment with these flags, which is *r. False: there are no more. */
static bool
next_segment(const struct dl_phdr_info *info, uint32_t flags, int *i, struct range *r)
{
    while (*i < info->dlpi_phnum) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[(*i)++];

        if (ph->p_type != PT_LOAD || (ph->p_flags & flags) != flags)
            continue;
        r->start = info->dlpi_addr + ph->p_vaddr;
        r->end = r->start + ph->p_memsz;
        return true;
    }
    return false;
}

static bool
holds(const struct dl_phdr_info *info, uintptr_t addr)
{
    struct range r;

    for (int i = 0; next_segment(info, 0, &i, &r);) {
        if (within(&r, addr))
            return true;
    }
    return false;
}

/* The file of a module, once for all of its modules. */
static int
note_late(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct burl_wire_module *m = arg;
    const uint64_t name = hash_name(info->dlpi_name);
    struct range r;

    (void)size;
    if (!holds(info, (uintptr_t)m->sites))
        return 0;
    for (int i = 0; next_segment(info, PF_W, &i, &r);)
        burl_free_mapped(r.start, r.end - r.start); /* by the loader, which no interposer sees */
    for (uint32_t i = 0; i < n_late; i++) {
        if (late[i].name == name && late[i].bias == info->dlpi_addr)
            return 1;
    }
    for (int i = 0; next_segment(info, PF_W, &i, &r);) {
        forget_late(&r);
        if (n_late < MAX_LATE)
            late[n_late++] = (struct late){ r, info->dlpi_addr, name, m->base };
    }
    return 1;
}

BURL_EXPORT void
__burl_module_init(struct burl_wire_module *m)
{
    if (m->registered)
        return;
    m->registered = 1;
    if (m->version != BURL_WIRE_VERSION) {
        version = m->version;
        if (published)
            burl_rt.ctl->rt_version = version;
    }
    m->base = base_for(m);
    for (uint32_t i = 0; i < m->n_sites; i++)
        m->sites[i].id = m->base + i;
    if (m->base + m->n_sites > n_sites)
        n_sites = m->base + m->n_sites;
    insert_module(m);
    if (published)
        dl_iterate_phdr(note_late, m);
    burl_free_modules_changed();
    burl_history_module(m);
    if (burl_rt.in_execution) {
        burl_rt_irreversible("a shared object was loaded while the program ran");
        burl__module_publish();
    }
}

/* ---- unloading ----------------------------------------------------------------------------- */

/* Its records with the numbers of its sites, which stay in use. */
static struct burl_wire_module *
copy_module(const struct burl_wire_module *m)
{
    const size_t n = sizeof *m + m->n_sites * sizeof *m->sites;
    const long p =
        BURL_SYS6(SYS_mmap, NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct burl_wire_module *copy = (struct burl_wire_module *)p;

    if (p < 0 && p >= -4095)
        return NULL;
    *copy = *m;
    copy->registered = BURL_MODULE_GONE;
    copy->name = "";
    copy->sites = (struct burl_wire_site *)(void *)(copy + 1);
    for (uint32_t i = 0; i < m->n_sites; i++)
        copy->sites[i] = m->sites[i];
    return copy;
}

struct unload {
    uintptr_t addr; /* in the file that is unloaded */
    bool first;
};

static int
unload_file(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct unload *u = arg;

    (void)size;
    /* The executable stays: its destructors run because the process ends. */
    for (uint32_t i = 0; !u->first && holds(info, u->addr) && i < n_modules; i++) {
        struct burl_wire_module *copy = NULL;

        if (!burl__module_is_gone(modules[i]) && holds(info, (uintptr_t)modules[i]->sites))
            copy = copy_module(modules[i]);
        /* release: other threads look modules up */
        if (copy != NULL)
            __atomic_store_n(&modules[i], copy, __ATOMIC_RELEASE);
    }
    u->first = false;
    return 0;
}

void
burl__module_unload(uintptr_t addr)
{
    struct unload u = { .addr = addr, .first = true };

    dl_iterate_phdr(unload_file, &u);
}

static struct range
text_range(const struct dl_phdr_info *info)
{
    struct range all = { UINTPTR_MAX, 0 };
    struct range r;

    for (int i = 0; next_segment(info, PF_X, &i, &r);) {
        all.start = r.start < all.start ? r.start : all.start;
        all.end = r.end > all.end ? r.end : all.end;
    }
    return all;
}

/* Keeps the runtime's own data out of every snapshot. */
static void
exclude_own_data(const struct dl_phdr_info *info)
{
    struct range r;

    for (int i = 0; next_segment(info, PF_W, &i, &r);)
        burl__snapshot_exclude(r.start & ~(uintptr_t)4095, (r.end + 4095) & ~(uintptr_t)4095);
}

static void
note_data(const struct dl_phdr_info *info)
{
    struct range r;

    for (int i = 0; n_data < MAX_DATA && next_segment(info, PF_W, &i, &r);)
        data[n_data++] = r;
}

const char *
burl__module_file_name(const char *path)
{
    const char *name = path;

    for (const char *p = path; *p != '\0'; p++) {
        if (*p == '/')
            name = p + 1;
    }
    return name;
}

static bool
is_named(const struct dl_phdr_info *info, const char *prefix)
{
    return strncmp(burl__module_file_name(info->dlpi_name), prefix, strlen(prefix)) == 0;
}

static int
locate_one(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct range r = text_range(info);

    (void)size;
    (void)arg;
    if (within(&r, (uintptr_t)&locate_one)) {
        runtime_text = r;
        exclude_own_data(info);
        return 0;
    }
    note_data(info);
    if (is_named(info, "libc.so"))
        libc_text = r;
    else if (is_named(info, "ld-linux"))
        loader_text = r;
    return 0;
}

void
burl__module_locate(void)
{
    dl_iterate_phdr(locate_one, NULL);
}

uint32_t
burl__module_version(void)
{
    return version;
}

bool
burl__module_is_runtime(uintptr_t pc)
{
    return within(&runtime_text, pc);
}

bool
burl__module_is_libc(uintptr_t pc)
{
    return within(&libc_text, pc) || within(&loader_text, pc);
}

bool
burl__module_is_data(uintptr_t addr)
{
    for (uint32_t i = 0; i < n_data; i++) {
        if (within(&data[i], addr))
            return true;
    }
    return false;
}

bool
burl__module_is_late(uintptr_t addr, uint64_t *bias, uint32_t *site)
{
    for (uint32_t i = 0; i < n_late; i++) {
        if (within(&late[i].range, addr)) {
            *bias = late[i].bias;
            *site = late[i].site;
            return true;
        }
    }
    return false;
}

const struct burl_wire_site *
burl__module_site(uint32_t number)
{
    uint32_t lo = 0;
    uint32_t hi = n_modules;

    while (lo < hi) { /* bases ascend */
        uint32_t mid = lo + (hi - lo) / 2;
        const struct burl_wire_module *m = modules[mid];

        if (number < m->base)
            hi = mid;
        else if (number - m->base >= m->n_sites)
            lo = mid + 1;
        else
            return &m->sites[number - m->base];
    }
    return NULL;
}

uint32_t
burl__module_function(uint32_t site)
{
    const struct burl_wire_site *s = burl__module_site(site);

    /* A function's own site precedes those of its body. Numbers that --late adds lie behind all
     * functions. */
    if (s == NULL || (s->flags & BURL_SITE_F_ADDED) != 0)
        return 0;
    while (s != NULL && s->kind != BURL_SITE_FUNC)
        s = burl__module_site(s->id - 1);
    return s != NULL ? s->id : 0;
}

uint32_t
burl__module_site_at(const struct burl_wire_site *site)
{
    for (uint32_t i = 0; i < n_modules; i++) {
        const uintptr_t at = (uintptr_t)site - (uintptr_t)modules[i]->sites;

        if (at / sizeof *site < modules[i]->n_sites && !burl__module_is_gone(modules[i]))
            return modules[i]->base + (uint32_t)(at / sizeof *site);
    }
    return 0;
}

const struct burl_wire_module *
burl__module_of(uint32_t number)
{
    for (uint32_t i = 0; i < n_modules; i++) {
        if (number - modules[i]->base < modules[i]->n_sites)
            return modules[i];
    }
    return NULL;
}

struct find_file {
    uintptr_t addr;
    struct burl__object *out;
};

static int
find_file_of(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct find_file *f = arg;

    (void)size;
    if (!holds(info, f->addr))
        return 0;
    *f->out = (struct burl__object){ .path = info->dlpi_name, .bias = info->dlpi_addr };
    return 1;
}

bool
burl__module_object(uintptr_t addr, struct burl__object *out)
{
    struct find_file f = { .addr = addr, .out = out };

    return dl_iterate_phdr(find_file_of, &f) != 0;
}

static int
count_unloads(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(uint64_t *)arg = info->dlpi_subs;
    return 1;
}

uint64_t
burl__module_n_unloads(void)
{
    uint64_t n = 0;

    (void)dl_iterate_phdr(count_unloads, &n);
    return n;
}

const struct burl_wire_module *
burl__module_at(uint32_t i)
{
    return i < n_modules ? modules[i] : NULL;
}

bool
burl__module_has_kind(enum burl_wire_site_kind kind)
{
    for (uint32_t i = 0; i < n_modules; i++) {
        for (uint32_t k = 0; k < modules[i]->n_sites; k++) {
            if (modules[i]->sites[k].kind == kind)
                return true;
        }
    }
    return false;
}

void
burl__module_volatile_atomic(void)
{
    for (uint32_t i = 0; i < n_modules; i++) {
        for (uint32_t k = 0; k < modules[i]->n_sites; k++) {
            struct burl_wire_site *s = &modules[i]->sites[k];

            if (s->kind <= BURL_SITE_WRITE && (s->flags & BURL_SITE_F_VOLATILE) != 0)
                burl_rt_make_atomic(s);
        }
    }
}

/* ---- publishing ---------------------------------------------------------------------- */

static void
own_path(char *out)
{
    long n = BURL_SYS3(SYS_readlink, "/proc/self/exe", out, BURL_WIRE_PATH_B - 1);

    out[n > 0 ? n : 0] = '\0';
}

/* The place of a file in the list; the first one loaded is the program itself. */
static uint32_t
object_index(const struct dl_phdr_info *info, bool first)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    if (first)
        return 0;
    for (uint32_t i = 1; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        if (strncmp(ctl->objects[i].path, info->dlpi_name, BURL_WIRE_PATH_B - 1) == 0)
            return i;
    }
    return ctl->n_objects;
}

static int
publish_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    bool *first = arg;
    uint32_t at = object_index(info, *first);
    struct burl_wire_object *o = &ctl->objects[at];
    struct range r = text_range(info);

    (void)size;
    if (at >= BURL_WIRE_MAX_OBJECTS)
        return 1;
    o->load_bias = info->dlpi_addr;
    o->text_start = r.start;
    o->text_end = r.end;
    if (*first) {
        own_path(o->path);
    } else {
        size_t n = strlen(info->dlpi_name);

        n = n < BURL_WIRE_PATH_B ? n : BURL_WIRE_PATH_B - 1;
        memcpy(o->path, info->dlpi_name, n);
        o->path[n] = '\0';
    }
    *first = false;
    if (at >= ctl->n_objects)
        ctl->n_objects = at + 1;
    return 0;
}

static void
publish_objects(void)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    bool first = true;

    /* An object of another execution is not loaded in this one. */
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++)
        ctl->objects[i].load_bias = UINT64_MAX;
    dl_iterate_phdr(publish_object, &first);
}

struct find_object {
    uintptr_t addr;
    bool first;
    uint32_t found;
};

static int
find_object_of(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct find_object *f = arg;

    (void)size;
    if (holds(info, f->addr))
        f->found = object_index(info, f->first);
    f->first = false;
    return f->found != UINT32_MAX;
}

/* Its row: the one it has, else a new one. */
static uint32_t
row_of(const struct burl_wire_module *m)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;
    uint32_t i = 0;

    while (i < ctl->n_modules && ctl->modules[i].base != m->base)
        i++;
    return i;
}

void
burl__module_publish(void)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    publish_objects();
    for (uint32_t i = 0; i < n_modules; i++) {
        struct find_object f = { .addr = (uintptr_t)modules[i]->sites,
                                 .first = true,
                                 .found = UINT32_MAX };
        uint32_t row = row_of(modules[i]);

        if (row >= BURL_WIRE_MAX_MODULES)
            break;
        if (burl__module_is_gone(modules[i]))
            continue; /* its row is there */
        dl_iterate_phdr(find_object_of, &f);
        ctl->modules[row] = (struct burl_wire_module_entry){
            .hash = modules[i]->hash,
            .base = modules[i]->base,
            .n_sites = modules[i]->n_sites,
            .object = f.found,
            .late = row < ctl->n_modules ? ctl->modules[row].late : published,
        };
        /* The low bits name the site in free mode: rt/free/codes.c. */
        ctl->codes[row] =
            (uint32_t)((uintptr_t)modules[i]->sites / sizeof *modules[i]->sites) % BURL_WIRE_CODES;
        if (row >= ctl->n_modules)
            ctl->n_modules = row + 1;
    }
    if (n_sites > ctl->n_sites)
        ctl->n_sites = n_sites;
    published = true;
}
