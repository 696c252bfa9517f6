/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/main.c - burl-instr, the program between two runs of clang.
 *
 * Runs in the compiler; called by `burl cc`, not by people.
 *     burl-instr [--late-prepare|--late-finish] [--free-copies] [--blocks] [--volatile=atomic]
 *                [--inline] [--debug=full|lines|none] [--verify] [--redirect FILE]
 *                --records DIR --in X.bc --out Y.bc
 *     burl-instr --list X.bc     the site numbers in canonical bitcode, one per line
 * FILE has a line "name other" per function: every use of a function `name` that the module defines
 * becomes one of the external function `other`, and the module gets no hooks. `burl synth` records
 * calls of functions that a header defines with it.
 * DIR receives sites.rec, bitcode.rec and names.rec. They are what the object includes, so
 * DIR must live until the object is made, unless --inline writes them into the
 * module. --late-finish reads them back.
 * Exit code 0, or 3 with one line on standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "instr/instr_int.h"

enum mode { MODE_EARLY, MODE_PREPARE, MODE_FINISH, MODE_LIST };

struct options {
    enum mode mode;
    bool blocks;
    bool volatile_atomic;
    bool record;
    bool free_copies;
    bool inline_records;
    bool verify;
    enum burl__debug debug;
    const char *in;
    const char *out;
    const char *records;
    const char *redirect;
};

/* A site record holds every name of a module, a bitcode record all of its code. */
#define MAX_RECORD_B ((size_t)1 << 32)

static enum burl_status
parse_word(struct options *o, char **argv, int argc, int *i, struct burl_err *err)
{
    const char *a = argv[*i];
    const char **value = NULL;

    if (strcmp(a, "--late-prepare") == 0)
        o->mode = MODE_PREPARE;
    else if (strcmp(a, "--late-finish") == 0)
        o->mode = MODE_FINISH;
    else if (strcmp(a, "--blocks") == 0)
        o->blocks = true;
    else if (strcmp(a, "--volatile=atomic") == 0)
        o->volatile_atomic = true;
    else if (strcmp(a, "--record") == 0)
        o->record = true;
    else if (strcmp(a, "--free-copies") == 0)
        o->free_copies = true;
    else if (strcmp(a, "--inline") == 0)
        o->inline_records = true;
    else if (strcmp(a, "--verify") == 0)
        o->verify = true;
    else if (strcmp(a, "--debug=full") == 0)
        o->debug = BURL__DEBUG_FULL;
    else if (strcmp(a, "--debug=lines") == 0)
        o->debug = BURL__DEBUG_LINES;
    else if (strcmp(a, "--debug=none") == 0)
        o->debug = BURL__DEBUG_NONE;
    else if (strcmp(a, "--in") == 0)
        value = &o->in;
    else if (strcmp(a, "--out") == 0)
        value = &o->out;
    else if (strcmp(a, "--records") == 0)
        value = &o->records;
    else if (strcmp(a, "--redirect") == 0)
        value = &o->redirect;
    else if (strcmp(a, "--list") == 0) {
        o->mode = MODE_LIST;
        value = &o->in;
    } else
        return burl_err_set(err, BURL_E_USAGE, 0, "unknown option %s", a);
    if (!value)
        return BURL_OK;
    if (*i + 1 >= argc)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s needs a value", a);
    *value = argv[++*i];
    return BURL_OK;
}

static enum burl_status
parse(struct options *o, int argc, char **argv, struct burl_err *err)
{
    for (int i = 1; i < argc; i++) {
        enum burl_status st = parse_word(o, argv, argc, &i, err);
        if (st != BURL_OK)
            return st;
    }
    if (!o->in || (o->mode != MODE_LIST && (!o->out || !o->records)))
        return burl_err_set(err, BURL_E_USAGE, 0, "needs --in, --out and --records");
    return BURL_OK;
}

static enum burl_status
write_file(const char *path, const struct burl_buf *b, struct burl_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot create %s", path);
    enum burl_status st = burl_fs_write_all(fd, b->p, b->n, err);
    if (close(fd) != 0 && st == BURL_OK)
        st = burl_err_set(err, BURL_E_IO, errno, "cannot write %s", path);
    return st;
}

static enum burl_status
read_record(const char *path, struct burl_buf *out, struct burl_err *err)
{
    char *bytes;
    size_t n;
    enum burl_status st = burl_fs_read_file(path, MAX_RECORD_B, &bytes, &n, err);

    if (st != BURL_OK)
        return st;
    burl_buf_append(out, bytes, n);
    free(bytes);
    return BURL_OK;
}

static void
redirect_function(struct burl__instr *in, const char *name, const char *other)
{
    LLVMValueRef old = LLVMGetNamedFunction(in->mod, name);

    if (old == NULL || LLVMIsDeclaration(old))
        return;
    LLVMReplaceAllUsesWith(old, LLVMAddFunction(in->mod, other, LLVMGlobalGetValueType(old)));
    LLVMDeleteFunction(old);
}

static enum burl_status
redirect(struct burl__instr *in, const char *path, struct burl_err *err)
{
    char *text;
    char *save = NULL;
    enum burl_status st = burl_fs_read_file(path, MAX_RECORD_B, &text, NULL, err);

    if (st != BURL_OK)
        return st;
    for (char *w = strtok_r(text, " \n", &save); w; w = strtok_r(NULL, " \n", &save)) {
        char *other = strtok_r(NULL, " \n", &save);

        if (other != NULL)
            redirect_function(in, w, other);
    }
    free(text);
    return BURL_OK;
}

/* Where the records are. */
struct paths {
    char *sites;
    char *bc;
    char *names;
};

/* Canonical form, numbers, names, and the records: the same in both profiles. */
static enum burl_status
prepare(struct burl__instr *in, struct burl__records *rec, struct burl_err *err)
{
    enum burl_status st = burl__instr_canonicalize(in, err);

    if (st != BURL_OK)
        return st;
    burl__instr_number(in);
    burl__instr_mark_assertions(in);
    burl__instr_record_bitcode(in, &rec->bc);
    burl__instr_describe(in);
    burl__instr_record_names(in, &rec->names);
    return BURL_OK;
}

/* The records of the first half of the late profile. */
static enum burl_status
read_back(struct burl__instr *in, const struct options *o, struct burl__records *rec,
          const struct paths *path, struct burl_err *err)
{
    enum burl_status st = read_record(path->sites, &rec->sites, err);

    if (st == BURL_OK)
        st = burl__instr_read_sites(in, &rec->sites, err);
    burl_buf_clear(&rec->sites);
    if (st == BURL_OK && o->inline_records)
        st = read_record(path->bc, &rec->bc, err);
    if (st == BURL_OK && o->inline_records)
        st = read_record(path->names, &rec->names, err);
    return st;
}

static enum burl_status
transform(struct burl__instr *in, const struct options *o, struct burl__records *rec,
          const struct paths *path, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (o->mode == MODE_FINISH) {
        in->profile = "late";
        st = read_back(in, o, rec, path, err);
        if (st != BURL_OK)
            return st;
        burl__instr_late_finish(in);
    } else {
        if (!o->record)
            burl__instr_alone_take(in, o->debug == BURL__DEBUG_NONE);
        st = prepare(in, rec, err);
        if (st == BURL_OK && (o->mode == MODE_PREPARE || !o->inline_records))
            st = write_file(path->bc, &rec->bc, err);
        if (st == BURL_OK && (o->mode == MODE_PREPARE || !o->inline_records))
            st = write_file(path->names, &rec->names, err);
        if (st != BURL_OK)
            return st;
        if (o->mode == MODE_PREPARE) {
            in->profile = "late";
            burl__instr_spread_identity(in);
            burl__instr_record_sites(in, &rec->sites);
            burl__instr_late_encode(in);
            st = burl__instr_alone_link(in, err);
            return st == BURL_OK ? write_file(path->sites, &rec->sites, err) : st;
        }
        if (o->free_copies && !o->record) {
            st = burl__instr_free_make(in, o->debug == BURL__DEBUG_NONE, err);
            if (st != BURL_OK)
                return st;
        }
        burl__instr_emit_array(in);
        if (o->record) {
            in->profile = "record";
            burl__instr_mark_module(in);
        } else {
            burl__instr_hook_module(in);
            st = burl__instr_alone_link(in, err);
            if (st == BURL_OK)
                st = burl__instr_free_link(in, err);
            if (st != BURL_OK)
                return st;
        }
    }
    burl__instr_alone_finish(in);
    burl__instr_emit_module(in);
    burl__instr_record_sites(in, &rec->sites);
    burl__instr_emit_records(in, o->inline_records ? rec : NULL, path->sites, path->bc,
                             path->names);
    return o->inline_records ? BURL_OK : write_file(path->sites, &rec->sites, err);
}

static void
list_function(struct burl__instr *in, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        uint32_t ix = burl_ir_site(i, in->md_site);
        LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(i);
        if (ix == UINT32_MAX)
            continue;
        printf("%u %u:%u opcode=%d %s\n", ix, loc ? LLVMDILocationGetLine(loc) : 0,
               loc ? LLVMDILocationGetColumn(loc) : 0, (int)LLVMGetInstructionOpcode(i),
               burl_ir_name(fn));
    }
}

static enum burl_status
run(const struct options *o, struct burl_err *err)
{
    struct burl__instr in;
    struct burl__records rec;
    const char *dir = o->records ? o->records : "";
    struct paths path = { .sites = burl_path_join(dir, "sites.rec"),
                          .bc = burl_path_join(dir, "bitcode.rec"),
                          .names = burl_path_join(dir, "names.rec") };
    enum burl_status st = burl__instr_open(&in, o->in, err);

    burl_buf_init(&rec.sites, MAX_RECORD_B);
    burl_buf_init(&rec.bc, MAX_RECORD_B);
    burl_buf_init(&rec.names, MAX_RECORD_B);
    in.blocks = o->blocks;
    in.volatile_atomic = o->volatile_atomic;
    if (st == BURL_OK && o->redirect != NULL && o->mode != MODE_FINISH)
        st = redirect(&in, o->redirect, err);
    if (st == BURL_OK && o->mode == MODE_LIST) {
        for (LLVMValueRef f = LLVMGetFirstFunction(in.mod); f; f = LLVMGetNextFunction(f))
            list_function(&in, f);
    } else if (st == BURL_OK) {
        /* calls are redirected in code that is not what is tested */
        if (o->redirect == NULL)
            st = transform(&in, o, &rec, &path, err);
        if (st == BURL_OK)
            st = burl_buf_status(&rec.bc, "bitcode record", err);
        if (st == BURL_OK)
            st = burl_buf_status(&rec.sites, "site record", err);
        if (st == BURL_OK)
            st = burl_buf_status(&rec.names, "name record", err);
        if (st == BURL_OK && o->verify)
            st = burl__instr_verify(&in, err);
        if (st == BURL_OK)
            st = burl__instr_write(&in, o->out,
                                   o->mode == MODE_PREPARE ? BURL__DEBUG_FULL : o->debug, err);
    }
    burl_buf_deinit(&rec.sites);
    burl_buf_deinit(&rec.bc);
    burl_buf_deinit(&rec.names);
    free(path.sites);
    free(path.bc);
    free(path.names);
    return st;
}

int
main(int argc, char **argv)
{
    struct options o = { .debug = BURL__DEBUG_FULL };
    struct burl_err err = { 0 };
    enum burl_status st = parse(&o, argc, argv, &err);

    if (getenv("BURL_INSTR_VERIFY"))
        o.verify = true;
    if (st == BURL_OK)
        st = run(&o, &err);
    if (st != BURL_OK)
        fprintf(stderr, "burl-instr: %s\n", err.msg);
    fflush(stdout);
    /* Nothing of ours waits for an orderly end, and taking a module apart costs as much as writing
     * it. */
    _exit(st == BURL_OK ? 0 : burl_err_exit_code(st));
}
