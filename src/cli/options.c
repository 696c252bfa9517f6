/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/options.c - everything that follows from the rows of options.def.
 *
 * Runs in the host. One table of descriptors is expanded from the rows; the
 * parser, the environment, the campaign's record and, through
 * burl_options_next(), all documents walk it. Values point into argv or the
 * environment and are never copied.
 */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/linereader.h"
#include "base/mem.h"
#include "cc/cc.h"

enum type {
    TYPE_flag,
    TYPE_u32,
    TYPE_u64,
    TYPE_time,
    TYPE_str,
    TYPE_choice,
    TYPE_list,
    TYPE_maybe
};

struct descriptor {
    const char *field; /* snake_case */
    enum type type;
    size_t offset;
    unsigned on;
    char letter;
    const char *value;
    const char *help;
};

static const struct descriptor table[BURL_OPT__N + 1] = {
#define BURL_OPTION(type_, field_, def_, on_, letter_, value_, help_) \
    { #field_, TYPE_##type_, offsetof(struct burl_options, field_), (on_), letter_, value_, help_ },
#include "cli/options.def"
#undef BURL_OPTION
    { 0 },
};

/* Defaults that differ from the row's for some commands. */
static const struct {
    enum burl_opt opt;
    unsigned on;
    const char *text;
} other_defaults[] = {
#define BURL_OPTION(type_, field_, def_, on_, letter_, value_, help_)
#define BURL_DEFAULT(field_, on_, text_) { BURL_OPT_##field_, (on_), text_ },
#include "cli/options.def"
#undef BURL_DEFAULT
#undef BURL_OPTION
};

/* Old spellings of options. */
static const struct {
    enum burl_opt opt;
    const char *field;
} renamed[] = {
#define BURL_OPTION(type_, field_, def_, on_, letter_, value_, help_)
#define BURL_RENAMED(field_, old_) { BURL_OPT_##field_, #old_ },
#include "cli/options.def"
#undef BURL_RENAMED
#undef BURL_OPTION
};

/* The first spelling of an option, which stays valid. */
static const char *
first_field(size_t opt)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (renamed[i].opt == opt)
            return renamed[i].field;
    }
    return table[opt].field;
}

void
burl_options_init(struct burl_options *o)
{
    *o = (struct burl_options){
#define BURL_OPTION(type_, field_, def_, on_, letter_, value_, help_) .field_ = def_,
#include "cli/options.def"
#undef BURL_OPTION
    };
}

/* "max_steps" to "max-steps"; "for_", a field that cannot have its word, to "for". */
static void
kebab(char *out, size_t n, const char *field)
{
    size_t i;

    for (i = 0; field[i] && i + 1 < n; i++)
        out[i] = field[i] == '_' ? '-' : field[i];
    if (i > 0 && out[i - 1] == '-')
        i--;
    out[i] = '\0';
}

/* "max_steps" to "BURL_MAX_STEPS", "for_" to "BURL_FOR". */
static void
env_name(char *out, size_t n, const char *field)
{
    size_t at = (size_t)snprintf(out, n, "BURL_");

    for (; *field && at + 1 < n; field++)
        out[at++] = (char)toupper((unsigned char)*field);
    if (out[at - 1] == '_')
        at--;
    out[at] = '\0';
}

static size_t find_long(const char *name, size_t len, unsigned on);

/* " here; it belongs to burl x, y" for an option that other commands have; or "". */
static const char *
other_commands(const char *name)
{
    static const struct {
        const char *name;
        unsigned on;
    } commands[] = {
#define BURL_COMMAND(run, name, summary, usage, details, example, on, words, ...) { name, on },
#include "cli/commands.def"
#undef BURL_COMMAND
    };
    static char text[200];
    const size_t i =
        strncmp(name, "--", 2) == 0 ? find_long(name + 2, strlen(name + 2), ~0u) : BURL_OPT__N;
    size_t n = 0;

    text[0] = '\0';
    for (size_t c = 0; i < BURL_OPT__N && c < sizeof commands / sizeof commands[0]; c++) {
        if ((commands[c].on & table[i].on) && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s %s",
                                  n == 0 ? " here; it belongs to burl" : ",", commands[c].name);
    }
    return text;
}

static enum burl_status
fail_unknown(const char *word, unsigned on, struct burl_err *err)
{
    char names[BURL_OPT__N][40];
    const char *candidates[BURL_OPT__N + 2];
    const char *near;
    size_t n = 0;
    char name[80];

    for (size_t i = 0; i < BURL_OPT__N; i++) {
        if (!(table[i].on & on))
            continue;
        kebab(names[n], sizeof names[n], table[i].field);
        candidates[n] = names[n];
        n++;
    }
    candidates[n++] = "help";
    candidates[n] = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    near = strlen(name) > 2 ? burl_options_nearest(name + strspn(name, "-"), candidates) : NULL;
    if (strcmp(name, "--help") == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "--help takes no value");
    if (near)
        return burl_err_set(err, BURL_E_USAGE, 0, "unknown option %s; did you mean --%s?", name,
                            near);
    return burl_err_set(err, BURL_E_USAGE, 0, "unknown option %s%s", name, other_commands(name));
}

/* A decimal number with an optional suffix k, M or G (powers of 1000). */
static bool
parse_number(const char *text, uint64_t max, uint64_t *out)
{
    static const char letters[] = "kmg";
    const char *letter;
    uint64_t unit = 1;
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    if (errno != 0 || end == text)
        return false;
    letter = *end ? strchr(letters, tolower((unsigned char)*end)) : NULL;
    for (const char *p = letters; letter && p <= letter; p++)
        unit *= 1000;
    end += letter != NULL;
    if (*end != '\0' || *out > max / unit)
        return false;
    *out *= unit;
    return true;
}

static bool
parse_flag(const char *text, bool *out)
{
    *out = burl_word_in(text, "1 yes true on", ' ');
    return *out || burl_word_in(text, "0 no false off", ' ');
}

static enum burl_status
fail_value(const struct descriptor *d, const char *name, const char *text, struct burl_err *err)
{
    static const char *const wanted[] = {
        [TYPE_flag] = "yes or no",
        [TYPE_u32] = "a number from 0 to 4,294,967,295",
        [TYPE_u64] = "a number from 0 to 18,446,744,073,709,551,615",
        [TYPE_time] = "a time such as 500ms, 30s, 5m or 2h",
        [TYPE_str] = "a text",
        [TYPE_choice] = "",
        [TYPE_list] = "a list",
        [TYPE_maybe] = "a list, or nothing after its name",
    };
    char *copy;
    char *rest;
    const char *words[32];
    size_t n = 0;

    if (d->type != TYPE_choice)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s expects %s, not \"%s\"", name,
                            wanted[d->type], text);
    copy = burl_xstrdup(d->value);
    rest = copy;
    while (rest && n + 1 < sizeof words / sizeof words[0])
        words[n++] = strsep(&rest, "|");
    words[n] = NULL;
    burl_err_set(err, BURL_E_USAGE, 0, "%s expects one of %s, not \"%s\"%s", name, d->value, text,
                 burl_options_hint(text, words));
    free(copy);
    return BURL_E_USAGE;
}

/* A list option may be repeated. There is only one such option, so one buffer is enough; it lives
 * as long as the process, like everything that values point to. */
static bool
append_list(const char **field, const char *text)
{
    static char joined[1024];
    char longer[sizeof joined];
    const int n = snprintf(longer, sizeof longer, "%s,%s", *field, text);

    if (n < 0 || (size_t)n >= sizeof longer)
        return false;
    memcpy(joined, longer, (size_t)n + 1);
    *field = joined;
    return true;
}

/* Stores `text` as the value; `name` is what the user wrote, for the message. */
static enum burl_status
set_value(struct burl_options *o, size_t i, const char *name, const char *text,
          struct burl_err *err)
{
    const struct descriptor *d = &table[i];
    char *field = (char *)o + d->offset;
    const char **as_text = (const char **)(void *)field;
    bool ok = *text != '\0';
    uint64_t x = 0;

    switch (d->type) {
    case TYPE_flag:
        ok = parse_flag(text, (bool *)(void *)field);
        break;
    case TYPE_u32:
        ok = parse_number(text, UINT32_MAX, &x);
        if (ok)
            *(uint32_t *)(void *)field = (uint32_t)x;
        break;
    case TYPE_u64:
        ok = parse_number(text, UINT64_MAX, (uint64_t *)(void *)field);
        break;
    case TYPE_time:
        ok = burl_duration_parse(text, (uint64_t *)(void *)field);
        break;
    case TYPE_list:
        if (ok && o->given[i] && name[0] == '-')
            ok = append_list(as_text, text);
        else
            *as_text = text;
        break;
    case TYPE_choice:
        ok = burl_word_in(text, d->value, '|');
        /* fall through */
    case TYPE_str:
    case TYPE_maybe:
        *as_text = text;
        break;
    }
    if (!ok)
        return fail_value(d, name, text, err);
    o->given[i] = true;
    o->typed[i] = name[0] == '-';
    return BURL_OK;
}

/* The defaults of these commands in place of those of the rows. */
static void
set_other_defaults(struct burl_options *o, unsigned on)
{
    for (size_t i = 0; i < sizeof other_defaults / sizeof other_defaults[0]; i++) {
        const size_t opt = other_defaults[i].opt;

        if (!(other_defaults[i].on & on))
            continue;
        BURL_ASSERT(set_value(o, opt, "default", other_defaults[i].text, NULL) == BURL_OK);
        o->given[opt] = false;
    }
}

static enum burl_status
read_environment(struct burl_options *o, unsigned on, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < BURL_OPT__N && st == BURL_OK; i++) {
        char name[64];
        const char *text;

        if (!(table[i].on & on))
            continue;
        env_name(name, sizeof name, table[i].field);
        text = getenv(name);
        if (!text) {
            env_name(name, sizeof name, first_field(i));
            text = getenv(name);
        }
        if (text && *text)
            st = set_value(o, i, name, text, err);
    }
    return st;
}

/* Whether the `len` characters at `name` are "max-steps" for the field "max_steps". */
static bool
is_name_of(const char *field, const char *name, size_t len)
{
    char text[40];

    kebab(text, sizeof text, field);
    return strlen(text) == len && memcmp(text, name, len) == 0;
}

/* The row of a long option name of `len` characters, or BURL_OPT__N. */
static size_t
find_long(const char *name, size_t len, unsigned on)
{
    for (size_t i = 0; i < BURL_OPT__N; i++) {
        if ((table[i].on & on) &&
            (is_name_of(table[i].field, name, len) || is_name_of(first_field(i), name, len)))
            return i;
    }
    return BURL_OPT__N;
}

static size_t
find_letter(char letter, unsigned on)
{
    for (size_t i = 0; i < BURL_OPT__N; i++) {
        if ((table[i].on & on) && letter && table[i].letter == letter)
            return i;
    }
    return BURL_OPT__N;
}

/* The next word as the value of an option: `--html --runs=5` forgot the directory. Numbers, times
 * and choices have messages of their own. */
static enum burl_status
check_next(const struct descriptor *d, const char *shown, const char *next, struct burl_err *err)
{
    if ((d->type != TYPE_str && d->type != TYPE_list) || next[0] != '-' || next[1] == '\0')
        return BURL_OK;
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "%s expects a value, and \"%s\" looks like an option; if it is the value: "
                        "%s=%s",
                        shown, next, shown, next);
}

/* "--name", "--name=value" or "--name value". */
static enum burl_status
parse_long(struct burl_options *o, unsigned on, const char *word, const char *next, int *used,
           struct burl_err *err)
{
    const char *name = word + 2;
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    size_t i = find_long(name, len, on);
    enum burl_status st = BURL_OK;
    char shown[48];

    if (i == BURL_OPT__N)
        return fail_unknown(word, on, err);
    snprintf(shown, sizeof shown, "--%.*s", (int)(len < 40 ? len : 40), name);
    *used = 1;
    if (!value && table[i].type == TYPE_flag)
        value = "yes";
    if (!value && table[i].type == TYPE_maybe)
        value = BURL_OPTION_ALL;
    if (!value) {
        if (!next)
            return burl_err_set(err, BURL_E_USAGE, 0, "%s expects a value: %s=%s", shown, shown,
                                table[i].value);
        st = check_next(&table[i], shown, next, err);
        value = next;
        *used = 2;
    }
    return st == BURL_OK ? set_value(o, i, shown, value, err) : st;
}

/* "-n5", "-n 5", "-vq": flags may be joined, and the last may take a value. */
static enum burl_status
parse_short(struct burl_options *o, unsigned on, const char *word, const char *next, int *used,
            struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    *used = 1;
    for (const char *p = word + 1; *p && st == BURL_OK; p++) {
        size_t i = find_letter(*p, on);
        char shown[3] = { '-', *p, '\0' };

        if (i == BURL_OPT__N)
            return fail_unknown(p == word + 1 ? word : shown, on, err);
        if (table[i].type == TYPE_flag) {
            st = set_value(o, i, shown, "yes", err);
            continue;
        }
        if (p[1])
            return set_value(o, i, shown, p[1] == '=' ? p + 2 : p + 1, err);
        if (!next)
            return burl_err_set(err, BURL_E_USAGE, 0, "%s expects a value", shown);
        *used = 2;
        st = check_next(&table[i], shown, next, err);
        return st == BURL_OK ? set_value(o, i, shown, next, err) : st;
    }
    return st;
}

/* Moves argv[from..from+n) in front of argv[to..from), to <= from; the order of both stays. */
static void
move_back(char **argv, int to, int from, int n)
{
    for (int i = 0; i < n; i++) {
        char *word = argv[from + i];

        memmove(&argv[to + i + 1], &argv[to + i], (size_t)(from - to) * sizeof *argv);
        argv[to + i] = word;
    }
}

int
burl_options_words(int n_words, const char *first)
{
    static const struct {
        const char *word;
        int n;
    } subs[] = {
        { "hunt", 1 },
        { "report", BURL_WORDS_ALL },
        { "prune", BURL_WORDS_ALL },
        { "record", BURL_WORDS_ALL },
        { "select", BURL_WORDS_ALL },
        { "run", BURL_WORDS_ALL },
        { "show", BURL_WORDS_ALL },
        { "experiment", BURL_WORDS_ALL },
    };

    if (n_words != BURL_WORDS_SUB)
        return n_words;
    for (size_t i = 0; first && i < sizeof subs / sizeof subs[0]; i++) {
        if (strcmp(subs[i].word, first) == 0)
            return subs[i].n;
    }
    return 0;
}

enum burl_status
burl_options_parse(struct burl_options *o, unsigned on, int n_words, int argc, char **argv,
                   int *used, struct burl_err *err)
{
    enum burl_status st;
    int words = 0; /* seen so far; they lie in argv[i - words..i) */
    int i = 0;

    *used = 0;
    set_other_defaults(o, on);
    st = read_environment(o, on, err);
    while (st == BURL_OK && i < argc) {
        const char *word = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        int n = 0;

        if (strcmp(word, "--") == 0) {
            move_back(argv, i - words, i, 1);
            i++;
            break;
        }
        if (word[0] != '-' || word[1] == '\0') {
            /* With a schedule file there is no number of a finding: this is the program. */
            if (words == burl_options_words(n_words, argv[i - words]) || o->schedule)
                break;
            words++;
            i++;
            continue;
        }
        if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
            o->help = true;
            break;
        }
        if (word[1] == '-')
            st = parse_long(o, on, word, next, &n, err);
        else
            st = parse_short(o, on, word, next, &n, err);
        move_back(argv, i - words, i, n);
        i += n;
    }
    *used = i - words;
    return st;
}

const char *
burl_options_misplaced(unsigned on, int argc, char *const *argv)
{
    for (int i = 0; i < argc; i++) {
        const char *name = argv[i] + 2;

        if (strncmp(argv[i], "--", 2) == 0 && find_long(name, strcspn(name, "="), on) < BURL_OPT__N)
            return argv[i];
    }
    return NULL;
}

const char *
burl_options_name(enum burl_opt opt)
{
    static char name[48] = "--";

    kebab(name + 2, sizeof name - 2, table[opt].field);
    return name;
}

/* The value of a flag, a number or a time. */
static uint64_t
number_value(const struct burl_options *o, const struct descriptor *d)
{
    const void *field = (const char *)o + d->offset;

    if (d->type == TYPE_flag)
        return *(const bool *)field;
    return d->type == TYPE_u32 ? *(const uint32_t *)field : *(const uint64_t *)field;
}

static bool
is_text(const struct descriptor *d)
{
    return d->type == TYPE_str || d->type == TYPE_list || d->type == TYPE_choice ||
           d->type == TYPE_maybe;
}

static const char *
text_value(const struct burl_options *o, const struct descriptor *d)
{
    return *(const char *const *)(const void *)((const char *)o + d->offset);
}

/* The default as a user would write it; "" when there is none worth saying. */
static void
format_value(const struct burl_options *o, const struct descriptor *d, char *out, size_t n)
{
    const uint64_t x = is_text(d) ? 0 : number_value(o, d);

    if (is_text(d))
        snprintf(out, n, "%s", text_value(o, d) ? text_value(o, d) : "");
    else if (d->type == TYPE_flag)
        out[0] = '\0';
    else if (d->type == TYPE_time && x % 1000 == 0)
        snprintf(out, n, "%" PRIu64 "s", x / 1000);
    else
        snprintf(out, n, "%" PRIu64 "%s", x, d->type == TYPE_time ? "ms" : "");
}

static enum burl_value
kind_of_value(enum type type, const char *value)
{
    if (!*value)
        return BURL_VALUE_NONE;
    if (type == TYPE_choice)
        return BURL_VALUE_CHOICE;
    if (strstr(value, "FILE"))
        return BURL_VALUE_FILE;
    return strstr(value, "DIR") ? BURL_VALUE_DIR : BURL_VALUE_OTHER;
}

/* Every command has it, and it has no field. */
static void
set_help_row(struct burl_option_row *row, unsigned on)
{
    *row = (struct burl_option_row){ .letter = 'h', .name = "help", .value = "" };
    row->help = "Show this help.";
    if (on == BURL_ON_CC) {
        row->letter = 0;
        row->help = "As the only word: show this help. `clang-19 --help` lists the options of "
                    "clang.";
    }
}

/* The rows of cc/flags.def; false when none is left. */
static bool
next_cc_flag(size_t *at, struct burl_option_row *row)
{
    const struct burl_cc_flag *f = &burl_cc_flags[*at];

    for (; f->name && !*f->help; f++)
        ++*at;
    if (!f->name)
        return false;
    ++*at;
    *row = (struct burl_option_row){ .value = f->value, .help = f->help };
    snprintf(row->name, sizeof row->name, "%s", f->name);
    snprintf(row->env, sizeof row->env, "BURL_CC_FLAGS");
    row->kind = kind_of_value(strchr(f->value, '|') ? TYPE_choice : TYPE_str, f->value);
    return true;
}

/* The rows of options.def; false when none is left. */
static bool
next_option(unsigned on, size_t *at, struct burl_option_row *row)
{
    struct burl_options defaults;
    const struct descriptor *d;

    while (*at < BURL_OPT__N && !(table[*at].on & on))
        ++*at;
    if (*at >= BURL_OPT__N)
        return false;
    d = &table[(*at)++];
    burl_options_init(&defaults);
    set_other_defaults(&defaults, on);
    *row = (struct burl_option_row){ .letter = d->letter, .value = d->value, .help = d->help };
    row->is_value_optional = d->type == TYPE_maybe;
    row->kind = kind_of_value(d->type, d->value);
    kebab(row->name, sizeof row->name, d->field);
    env_name(row->env, sizeof row->env, d->field);
    format_value(&defaults, d, row->def, sizeof row->def);
    return true;
}

bool
burl_options_next(unsigned on, size_t *at, struct burl_option_row *row)
{
    if (on == BURL_ON_NONE || *at == SIZE_MAX)
        return false;
    if (on == BURL_ON_CC ? next_cc_flag(at, row) : next_option(on, at, row))
        return true;
    *at = SIZE_MAX;
    set_help_row(row, on);
    return true;
}

bool
burl_options_next_variable(unsigned on, size_t *at, const char **name, const char **help)
{
    static const struct {
        const char *name;
        unsigned on;
        const char *help;
    } variables[] = {
#define BURL_OPTION(type_, field_, def_, on_, letter_, value_, help_)
#define BURL_VARIABLE(name_, on_, help_) { name_, (on_), help_ },
#include "cli/options.def"
#undef BURL_VARIABLE
#undef BURL_OPTION
    };

    for (; *at < sizeof variables / sizeof variables[0]; ++*at) {
        if (variables[*at].on & on) {
            *name = variables[*at].name;
            *help = variables[(*at)++].help;
            return true;
        }
    }
    return false;
}

void
burl_options_record(const struct burl_options *o, unsigned on, struct burl_json_writer *w)
{
    burl_json_object_begin(w);
    for (size_t i = 0; i < BURL_OPT__N; i++) {
        const struct descriptor *d = &table[i];
        char name[40];

        if (!(d->on & on))
            continue;
        kebab(name, sizeof name, first_field(i));
        burl_json_key(w, name);
        if (is_text(d))
            burl_json_str(w, text_value(o, d));
        else if (d->type == TYPE_flag)
            burl_json_bool(w, number_value(o, d) != 0);
        else
            burl_json_u64(w, number_value(o, d));
    }
    burl_json_object_end(w);
}

enum burl_status
burl_options_each_word(const char *list, burl_options_word_fn *word, void *arg,
                       struct burl_err *err)
{
    char *copy = burl_xstrdup(list);
    enum burl_status st = BURL_OK;
    char *rest = copy;

    while (st == BURL_OK && rest) {
        char *w = strsep(&rest, ",");

        while (*w == ' ')
            w++;
        w[strcspn(w, " ")] = '\0';
        st = word(w, arg, err);
    }
    free(copy);
    return st;
}
