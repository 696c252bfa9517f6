/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedfile.c - writing the schedule file of docs/formats/schedule.md.
 *
 * Runs in the host. The reader is schedfile_read.c; both take every name from the
 * tables here. The writer checks what it is given before the first byte, so that
 * everything it writes is read again: a schedule that cannot be replayed would
 * be noticed only when the user needs it.
 */
#include "engine/schedule/schedfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/verdict.h"
#include "engine/schedule/schedfile_int.h"

const char *const burl__schedfile_strategy_names[BURL_STRATEGY__N] = {
    [BURL_STRATEGY_NONPREEMPTIVE] = "nonpreemptive",
    [BURL_STRATEGY_ROUND_ROBIN] = "round-robin",
    [BURL_STRATEGY_RANDOM] = "random",
    [BURL_STRATEGY_PCT] = "pct",
    [BURL_STRATEGY_POS] = "pos",
    [BURL_STRATEGY_REPLAY] = "replay",
    [BURL_STRATEGY_DIRECTED] = "directed",
    [BURL_STRATEGY_EXHAUSTIVE] = "exhaustive",
    [BURL_STRATEGY_SURW] = "surw",
    [BURL_STRATEGY_READS_FROM] = "reads-from",
    [BURL_STRATEGY_DELAY] = "delay",
    [BURL_STRATEGY_PREEMPT] = "preemption",
    [BURL_STRATEGY_BURST] = "burst",
};

const char *const burl__schedfile_engine_names[BURL__SCHEDFILE_N_ENGINES] = {
    [BURL_ENGINE_FIBERS] = "fibers",
    [BURL_ENGINE_THREADS] = "threads",
};

const char *const burl__schedfile_why_names[BURL__SCHEDFILE_N_WHY] = {
    [BURL_SWITCH_PREEMPT] = "preempt",     [BURL_SWITCH_BLOCKED] = "blocked",
    [BURL_SWITCH_FINISHED] = "finished",   [BURL_SWITCH_YIELD] = "yield",
    [BURL_CHOICE_WAITER] = "waiter",       [BURL_CHOICE_SPURIOUS] = "spurious",
    [BURL_CHOICE_CREATE] = "create-fails", [BURL_CHOICE_MALLOC] = "malloc-fails",
};

/* Operations and site kinds are named after their enumerators, in lower case with dashes. */
const char *const burl__schedfile_op_names[BURL_OP__N] = {
#define BURL_X(name, text, sync) #name,
    BURL_WIRE_OPS(BURL_X)
#undef BURL_X
};

const char *const burl__schedfile_site_kind_names[BURL_SITE__N] = {
    [BURL_SITE_NONE] = "NONE",
    [BURL_SITE_READ] = "READ",
    [BURL_SITE_WRITE] = "WRITE",
    [BURL_SITE_ATOMIC_LOAD] = "ATOMIC_LOAD",
    [BURL_SITE_ATOMIC_STORE] = "ATOMIC_STORE",
    [BURL_SITE_ATOMIC_RMW] = "ATOMIC_RMW",
    [BURL_SITE_ATOMIC_CAS] = "ATOMIC_CAS",
    [BURL_SITE_FENCE] = "FENCE",
    [BURL_SITE_RANGE_READ] = "RANGE_READ",
    [BURL_SITE_RANGE_WRITE] = "RANGE_WRITE",
    [BURL_SITE_CALL] = "CALL",
    [BURL_SITE_FUNC] = "FUNC",
    [BURL_SITE_BLOCK] = "BLOCK",
    [BURL_SITE_PLACE] = "PLACE",
};

const struct burl__schedfile_flag burl__schedfile_flags[BURL__SCHEDFILE_N_FLAGS] = {
    { BURL_ORDER_F_ALL_POINTS, "all-points" },
    { BURL_ORDER_F_STRICT_TIME, "strict-time" },
    { BURL_ORDER_F_PATIENT, "patient" },
    { BURL_ORDER_F_VOLATILE, "volatile-atomic" },
};

const struct burl__schedfile_header burl__schedfile_headers[BURL__SCHEDFILE_KEY__N] = {
#define BURL_X(key, name, type, member, names, n) \
    { name, BURL__SCHEDFILE_##type, offsetof(struct burl_schedfile, member), names, n },
    BURL__SCHEDFILE_HEADERS(BURL_X)
#undef BURL_X
};

const char *const burl__schedfile_observer_names[BURL_OBSERVER__N] = {
#define BURL_X(name, text) text,
    BURL_WIRE_OBSERVERS(BURL_X)
#undef BURL_X
};

const struct burl__schedfile_stop_kind burl__schedfile_stops[BURL__SCHEDFILE_N_STOPS] = {
    { BURL_SUSPECT_RACE, 2, 2, "race" },
    { BURL_SUSPECT_REGION, 3, 3, "region" },
    { BURL_SUSPECT_PAIR, 2, 2, "pair" },
    { BURL_SUSPECT_MISUSE, 1, BURL_WIRE_MISUSE_SITES, "misuse" },
};

uint8_t
burl_schedfile_access_op(uint8_t site_kind)
{
    for (uint8_t op = BURL_OP_READ; op <= BURL_OP_ATOMIC_CAS; op++) {
        if (burl__schedfile_usual_site_kind(op) == site_kind)
            return op;
    }
    return site_kind == BURL_SITE_RANGE_READ    ? BURL_OP_READ
           : site_kind == BURL_SITE_RANGE_WRITE ? BURL_OP_WRITE
                                                : BURL_OP_NONE;
}

uint8_t
burl__schedfile_usual_site_kind(uint8_t op)
{
    static const uint8_t kinds[BURL_OP__N] = {
        [BURL_OP_READ] = BURL_SITE_READ,
        [BURL_OP_WRITE] = BURL_SITE_WRITE,
        [BURL_OP_ATOMIC_LOAD] = BURL_SITE_ATOMIC_LOAD,
        [BURL_OP_ATOMIC_STORE] = BURL_SITE_ATOMIC_STORE,
        [BURL_OP_ATOMIC_RMW] = BURL_SITE_ATOMIC_RMW,
        [BURL_OP_ATOMIC_CAS] = BURL_SITE_ATOMIC_CAS,
        [BURL_OP_FENCE] = BURL_SITE_FENCE,
        [BURL_OP_ENTER] = BURL_SITE_FUNC,
        [BURL_OP_LEAVE] = BURL_SITE_FUNC,
    };

    return kinds[op] != BURL_SITE_NONE ? kinds[op] : BURL_SITE_CALL;
}

const char *
burl_schedfile_strategy_name(uint32_t strategy)
{
    return strategy < BURL_STRATEGY__N ? burl__schedfile_strategy_names[strategy] : NULL;
}

const char *
burl_schedfile_engine_name(uint32_t engine)
{
    return engine < BURL__SCHEDFILE_N_ENGINES ? burl__schedfile_engine_names[engine] : NULL;
}

void
burl_schedfile_init(struct burl_schedfile *f)
{
    memset(f, 0, sizeof *f);
}

void
burl_schedfile_deinit(struct burl_schedfile *f)
{
    for (size_t i = 0; i < f->n_argv; i++)
        free(f->argv[i]);
    free(f->argv);
    for (size_t i = 0; i < f->n_env; i++)
        free(f->env[i]);
    free(f->env);
    free(f->dir);
    free(f->build_id);
    free(f->switches);
    memset(f, 0, sizeof *f);
}

static void
put_enum_name(struct burl_buf *out, const char *name)
{
    for (; *name != '\0'; name++)
        burl_buf_char(out, *name == '_' ? '-' : (char)tolower((unsigned char)*name));
}

bool
burl__schedfile_is_bare(const char *s)
{
    if (s[0] == '[' || (s[1] == '\0' && (s[0] == '-' || s[0] == '?')))
        return false;
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;

        if (c <= ' ' || c == 0x7f || c == '"' || c == '\\')
            return false;
    }
    return true;
}

bool
burl__schedfile_find_name(struct burl_span w, const char *const *names, size_t n, bool enum_names,
                          uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        if (names[i] == NULL || strlen(names[i]) != w.n)
            continue;
        while (k < w.n) {
            char c = names[i][k];

            if (enum_names)
                c = c == '_' ? '-' : (char)tolower((unsigned char)c);
            if (c != w.p[k])
                break;
            k++;
        }
        if (k == w.n) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* One string as one token: "-" for the empty one, quoted where it must be. */
static void
put_string(struct burl_buf *out, const char *s)
{
    if (s == NULL || s[0] == '\0') {
        burl_buf_char(out, '-');
        return;
    }
    if (burl__schedfile_is_bare(s)) {
        burl_buf_str_append(out, s);
        return;
    }
    burl_buf_char(out, '"');
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            burl_buf_printf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            burl_buf_printf(out, "\\x%02x", c);
        else
            burl_buf_char(out, (char)c);
    }
    burl_buf_char(out, '"');
}

static void
put_site(struct burl_buf *out, uint32_t id, uint8_t op, const struct burl_sites *sites)
{
    const struct burl_site_info *site = burl_sites_get(sites, id);
    char *position;

    put_enum_name(out, burl__schedfile_op_names[op]);
    burl_buf_char(out, ' ');
    if (site->module_hash == 0) {
        burl_buf_str_append(out, "?  [-]");
        return;
    }
    put_string(out, site->variable);
    burl_buf_str_append(out, "  ");
    position = burl_xasprintf("%s:%u:%u", site->file, site->line, site->column);
    put_string(out, position);
    free(position);
    burl_buf_str_append(out, "  in ");
    put_string(out, site->func);
    burl_buf_printf(out, "  [%016llx:%u", (unsigned long long)site->module_hash, site->index);
    if (site->kind != burl__schedfile_usual_site_kind(op) && site->kind < BURL_SITE__N) {
        burl_buf_char(out, ':');
        put_enum_name(out, burl__schedfile_site_kind_names[site->kind]);
    }
    burl_buf_char(out, ']');
}

static const struct burl__schedfile_stop_kind *
stop_kind(const struct burl_schedfile *f)
{
    for (size_t i = 0; i < BURL__SCHEDFILE_N_STOPS; i++) {
        if (burl__schedfile_stops[i].kind == f->stop.kind)
            return &burl__schedfile_stops[i];
    }
    return NULL;
}

static enum burl_status
check_stop(const struct burl_schedfile *f, struct burl_err *err)
{
    const struct burl__schedfile_stop_kind *kind = stop_kind(f);

    if (f->stop.n_sites == 0)
        return BURL_OK;
    if (!kind || f->stop.n_sites < kind->n_sites || f->stop.n_sites > kind->n_sites_max ||
        f->observers >= 1u << BURL_OBSERVER__N)
        return burl_err_set(err, BURL_E_INTERNAL, 0,
                            "cannot write a schedule that stops at %u sites of kind %u, with "
                            "observers %x",
                            f->stop.n_sites, f->stop.kind, f->observers);
    for (uint32_t i = 0; i < f->stop.n_sites; i++) {
        if (f->stop_ops[i] >= BURL_OP__N)
            return burl_err_set(err, BURL_E_INTERNAL, 0,
                                "cannot write a schedule that stops at operation kind %u",
                                f->stop_ops[i]);
    }
    return BURL_OK;
}

static enum burl_status
check_encodable(const struct burl_schedfile *f, struct burl_err *err)
{
    if (f->n_switches > BURL_SCHEDFILE_MAX_SWITCHES || f->n_argv > BURL_SCHEDFILE_MAX_ARGS ||
        f->n_env > BURL_SCHEDFILE_MAX_ARGS)
        return burl_err_set(err, BURL_E_LIMIT, 0,
                            "cannot write a schedule of %zu switches and %zu arguments: at most "
                            "%u and %u are allowed",
                            f->n_switches, f->n_argv, BURL_SCHEDFILE_MAX_SWITCHES,
                            BURL_SCHEDFILE_MAX_ARGS);
    if (f->engine >= BURL__SCHEDFILE_N_ENGINES || f->strategy >= BURL_STRATEGY__N ||
        f->verdict >= BURL_VERDICT__N)
        return burl_err_set(err, BURL_E_INTERNAL, 0,
                            "cannot write a schedule with engine %u, strategy %u, verdict %u",
                            f->engine, f->strategy, f->verdict);
    for (size_t i = 0; i < f->n_switches; i++) {
        const struct burl_wire_switch *sw = &f->switches[i];

        if (sw->kind >= BURL_OP__N || sw->why >= BURL__SCHEDFILE_N_WHY ||
            sw->tid == BURL_TID_NONE || sw->next == BURL_TID_NONE ||
            (burl_switch_is_choice(sw->why) &&
             (sw->next == 0 || (f->order_flags & BURL_ORDER_F_SEED_CHOICES) != 0)))
            return burl_err_set(err, BURL_E_INTERNAL, 0,
                                "cannot write switch %zu of a schedule: T%u to T%u, operation "
                                "kind %u, reason %u",
                                i, sw->tid, sw->next, sw->kind, sw->why);
    }
    return check_stop(f, err);
}

static void
put_stop(const struct burl_schedfile *f, const struct burl_sites *sites, struct burl_buf *out)
{
    if (f->stop.n_sites == 0)
        return;
    burl_buf_str_append(out, burl__schedfile_headers[BURL__SCHEDFILE_KEY_OBSERVE].name);
    for (uint32_t i = 0; i < BURL_OBSERVER__N; i++) {
        if (f->observers & (1u << i))
            burl_buf_printf(out, " %s", burl__schedfile_observer_names[i]);
    }
    burl_buf_printf(out, "\n%s %s\n", burl__schedfile_headers[BURL__SCHEDFILE_KEY_STOP].name,
                    stop_kind(f)->name);
    for (uint32_t i = 0; i < f->stop.n_sites; i++) {
        burl_buf_str_append(out, "stop-site  ");
        put_site(out, f->stop.sites[i], f->stop_ops[i], sites);
        burl_buf_char(out, '\n');
    }
}

static unsigned
version_of(const struct burl_schedfile *f)
{
    if ((f->order_flags & BURL_ORDER_F_SEED_CHOICES) == 0)
        return BURL_SCHEDFILE_VERSION;
    return f->stop.n_sites > 0 ? 2u : 1u;
}

static void
put_record(const struct burl_wire_switch *sw, const struct burl_sites *sites, struct burl_buf *out)
{
    const bool choice = burl_switch_is_choice(sw->why);

    burl_buf_printf(out, "%s  T%u op %u", choice ? "choice" : "switch", sw->tid, sw->op);
    if (choice)
        burl_buf_printf(out, ".%u", sw->nth);
    burl_buf_str_append(out, "  ");
    put_site(out, sw->site, sw->kind, sites);
    burl_buf_printf(out, "  %s%u  %s\n", choice ? "= " : "-> T", sw->next,
                    burl__schedfile_why_names[sw->why]);
}

static void
put_strings(char *const *v, size_t n, struct burl_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        burl_buf_char(out, ' ');
        put_string(out, v[i]);
    }
}

static void
put_order(const struct burl_schedfile *f, struct burl_buf *out)
{
    bool any = false;

    for (size_t i = 0; i < BURL__SCHEDFILE_N_FLAGS; i++) {
        if (f->order_flags & burl__schedfile_flags[i].flag) {
            burl_buf_printf(out, " %s", burl__schedfile_flags[i].name);
            any = true;
        }
    }
    if (!any)
        burl_buf_str_append(out, " -");
}

/* The rest of a header line. */
static void
put_value(const struct burl_schedfile *f, enum burl__schedfile_key key, struct burl_buf *out)
{
    const struct burl__schedfile_header *h = &burl__schedfile_headers[key];
    const void *member = (const char *)f + h->offset;

    switch (h->type) {
    case BURL__SCHEDFILE_STRING:
        burl_buf_char(out, ' ');
        put_string(out, *(char *const *)member);
        break;
    case BURL__SCHEDFILE_NAME:
        burl_buf_printf(out, " %s", h->names[*(const uint32_t *)member]);
        break;
    case BURL__SCHEDFILE_NUMBER:
        burl_buf_printf(out, " %llu", *(const unsigned long long *)member);
        break;
    case BURL__SCHEDFILE_HASH:
        burl_buf_printf(out, " %016llx", *(const unsigned long long *)member);
        break;
    case BURL__SCHEDFILE_LIST:
        if (key == BURL__SCHEDFILE_KEY_PROGRAM)
            put_strings(f->argv, f->n_argv, out);
        else
            put_order(f, out);
        break;
    }
    if (key == BURL__SCHEDFILE_KEY_STRATEGY)
        burl_buf_printf(out, " %u", f->param);
}

static void
put_headers(const struct burl_schedfile *f, struct burl_buf *out)
{
    burl_buf_printf(out, "%s %u\n", BURL__SCHEDFILE_MAGIC, version_of(f));
    burl_buf_str_append(out, "# One execution, as `burl replay` follows it. After a change by "
                             "hand, end the file with: checksum none\n");
    for (uint32_t key = 0; key < BURL__SCHEDFILE_N_REQUIRED; key++) {
        burl_buf_str_append(out, burl__schedfile_headers[key].name);
        put_value(f, (enum burl__schedfile_key)key, out);
        burl_buf_char(out, '\n');
    }
    if (version_of(f) < 3)
        return;
    if (f->dir != NULL) {
        burl_buf_str_append(out, burl__schedfile_headers[BURL__SCHEDFILE_KEY_DIRECTORY].name);
        put_value(f, BURL__SCHEDFILE_KEY_DIRECTORY, out);
        burl_buf_char(out, '\n');
    }
    if (f->n_env > 0) {
        burl_buf_str_append(out, burl__schedfile_headers[BURL__SCHEDFILE_KEY_ENVIRONMENT].name);
        put_strings(f->env, f->n_env, out);
        burl_buf_char(out, '\n');
    }
}

enum burl_status
burl_schedfile_encode(const struct burl_schedfile *f, const struct burl_sites *sites,
                      struct burl_buf *out, struct burl_err *err)
{
    enum burl_status st = check_encodable(f, err);
    size_t start = out->n;

    if (st != BURL_OK)
        return st;
    put_headers(f, out);
    put_stop(f, sites, out);
    for (size_t i = 0; i < f->n_switches; i++)
        put_record(&f->switches[i], sites, out);
    burl_buf_printf(out, "end %zu\n", f->n_switches);
    if (!out->full)
        burl_buf_printf(out, "checksum %016llx\n",
                        (unsigned long long)burl_hash(out->p + start, out->n - start));
    return burl_buf_status(out, "the schedule", err);
}

void
burl_schedfile_stop(const struct burl_schedfile *f, struct burl_wire_order *order)
{
    if (f->stop.n_sites == 0) {
        /* A misuse of a time when executions ended at each. */
        if (burl_wire_is_misuse((uint8_t)f->verdict))
            order->flags |= BURL_ORDER_F_STOP_AT_MISUSE;
        return;
    }
    order->observers = f->observers;
    order->watch = f->stop;
    if (f->stop.kind == BURL_SUSPECT_MISUSE)
        order->stop_key = burl_wire_misuse_key((uint8_t)f->verdict, f->stop.sites, f->stop.n_sites);
    else if (f->stop.kind != BURL_SUSPECT_PAIR)
        order->stop_key = burl_wire_suspect_key(f->stop.kind, f->stop.sites, f->stop.n_sites);
}

enum burl_status
burl_schedfile_write(const struct burl_schedfile *f, const struct burl_sites *sites,
                     const char *path, struct burl_err *err)
{
    struct burl_buf text;
    enum burl_status st;

    burl_buf_init(&text, BURL_SCHEDFILE_MAX_B);
    st = burl_schedfile_encode(f, sites, &text, err);
    if (st == BURL_OK)
        st = burl_fs_write_atomic(path, text.p, text.n, err);
    burl_buf_deinit(&text);
    return st;
}

enum burl_status
burl_schedfile_read(struct burl_schedfile *f, const char *path,
                    const struct burl_schedfile_options *opts, enum burl_schedfile_fault *fault,
                    struct burl_err *err)
{
    struct burl_schedfile_options with_name = { 0 };
    char *text = NULL;
    size_t n = 0;
    enum burl_status st;

    burl_schedfile_init(f);
    if (fault != NULL)
        *fault = BURL_SCHEDFILE_FAULT_NONE;
    if (opts != NULL)
        with_name = *opts;
    if (with_name.name == NULL)
        with_name.name = path;
    st = burl_fs_read_file(path, BURL_SCHEDFILE_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return st;
    st = burl_schedfile_decode(f, text, n, &with_name, fault, err);
    free(text);
    return st;
}
