/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/doctor_machine.c - checks whether burl works on this machine.
 *
 * Runs in the host. Every check tries the operation itself where that is cheap (the compiler
 * compiles, the system call is made in a child) instead of looking for its name: containers forbid
 * what the kernel offers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/path.h"
#include "base/proc.h"
#include "cli/doctor_int.h"
#include "engine/target/target.h"

/* The instruction rdfsbase may be used (linux/arch/x86 asm/hwcap2.h: HWCAP2_FSGSBASE). */
#define HWCAP2_FSGSBASE_BIT (1ul << 1)
/* Room for a store with many findings; below it a campaign may end in "disk full". */
#define MIN_FREE_B (64ll << 20)
#define TOOL_TIMEOUT_MS 20000

static void
check_system(struct burl_doctor *d)
{
    struct utsname u;

    if (uname(&u) != 0 || strcmp(u.machine, "x86_64") != 0)
        burl__doctor_add(d, "system", BURL_DOCTOR_MISSING, "use an x86-64 machine with Linux",
                         "burl runs on Linux on x86-64 only");
    else
        burl__doctor_add(d, "system", BURL_DOCTOR_OK, NULL, "%s %s on %s, %ld CPUs", u.sysname,
                         u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN));
}

/* First line of what a tool prints, or NULL (with the reason) when it does not run. */
static char *
first_line_of(const char *const *argv, char **why)
{
    struct burl_proc_opts opts = { .argv = argv, .in = BURL_PROC_NULL };
    struct burl_proc_output out;
    struct burl_err err;
    char text[128];
    char *line = NULL;

    *why = NULL;
    if (burl_proc_capture(&out, &opts, TOOL_TIMEOUT_MS, 1 << 16, &err) != BURL_OK) {
        *why = burl_xstrdup(err.msg);
        return NULL;
    }
    if (out.status.exited && out.status.code == 0) {
        line = burl_xstrndup(out.out, strcspn(out.out, "\n"));
    } else {
        size_t n = strcspn(out.err, "\n");

        *why = n ? burl_xstrndup(out.err, n)
                 : burl_xasprintf("%s %s", argv[0],
                                  burl_proc_describe(&out.status, text, sizeof text));
    }
    burl_proc_output_deinit(&out);
    return line;
}

static void
check_tool(struct burl_doctor *d, const char *name, const char *tool,
           enum burl_doctor_state lacking, const char *fix, const char *without)
{
    const char *const argv[] = { tool, "--version", NULL };
    char *why;
    char *line = first_line_of(argv, &why);

    if (line)
        burl__doctor_add(d, name, BURL_DOCTOR_OK, NULL, "%s", line);
    else
        burl__doctor_add(d, name, lacking, fix, "%s%s%s", why, *without ? "; " : "", without);
    free(line);
    free(why);
}

/* The compiler must be clang 19: bitcode of another version may not load in burl-instr. */
static void
check_clang(struct burl_doctor *d)
{
    const char *clang = getenv("BURL_CLANG");
    const char *const argv[] = { clang && *clang ? clang : "clang-19", "-dumpversion", NULL };
    char *why;
    char *line = first_line_of(argv, &why);

    if (!line)
        burl__doctor_add(d, "clang", BURL_DOCTOR_MISSING, "apt-get install clang-19", "%s", why);
    else if (strncmp(line, "19.", 3) != 0)
        burl__doctor_add(
            d, "clang", BURL_DOCTOR_MISSING, "apt-get install clang-19, and unset BURL_CLANG",
            "%s is version %s; burl-instr reads the bitcode of version 19", argv[0], line);
    else
        burl__doctor_add(d, "clang", BURL_DOCTOR_OK, NULL, "%s, version %s", argv[0], line);
    free(line);
    free(why);
}

/* Compiles one line with the whole chain: wrapper, clang, instrumenter with its LLVM libraries. */
static void
try_compiling(struct burl_doctor *d, const char *exe)
{
    static const char text[] = "int burl_doctor;\n";
    char dir[] = "/tmp/burl-doctor-XXXXXX";
    const char *argv[] = { exe, "cc", "-c", "try.c", "-o", "try.o", NULL };
    struct burl_proc_opts opts = { .argv = argv, .in = BURL_PROC_NULL, .cwd = dir };
    struct burl_proc_output out = { 0 };
    struct burl_err err;
    char *file;

    if (!mkdtemp(dir)) {
        burl__doctor_add(d, "instrumenter", BURL_DOCTOR_MISSING, "make /tmp writable",
                         "cannot create a directory in /tmp: %s", strerror(errno));
        return;
    }
    file = burl_path_join(dir, "try.c");
    if (burl_fs_write_atomic(file, text, sizeof text - 1, &err) != BURL_OK ||
        burl_proc_capture(&out, &opts, TOOL_TIMEOUT_MS, 1 << 16, &err) != BURL_OK)
        burl__doctor_add(d, "instrumenter", BURL_DOCTOR_MISSING, NULL, "%s", err.msg);
    else if (!out.status.exited || out.status.code != 0)
        burl__doctor_add(d, "instrumenter", BURL_DOCTOR_MISSING,
                         "apt-get install clang-19 libllvm19; then make, or make install again",
                         "burl-cc cannot compile one line: %.*s", (int)strcspn(out.err, "\n"),
                         out.err);
    else
        burl__doctor_add(d, "instrumenter", BURL_DOCTOR_OK, NULL,
                         "burl-cc compiles and instruments");
    burl_proc_output_deinit(&out);
    free(file);
    /* A leftover in /tmp is not worth a message. */
    if (burl_fs_remove_tree(dir, &err) != BURL_OK)
        return;
}

/* Programs that one command needs only: the target of `burl cover`, the header of `burl gen`. */
static void
check_part(struct burl_doctor *d, const char *lib_dir, const char *name, const char *what,
           const char *fix)
{
    char *path = burl_path_join(lib_dir, name);

    if (burl_fs_exists(path))
        burl__doctor_add(d, what, BURL_DOCTOR_OK, NULL, "%s", path);
    else
        burl__doctor_add(d, what, BURL_DOCTOR_MISSING, fix, "%s is missing", path);
    free(path);
}

static void
check_parts(struct burl_doctor *d)
{
    static const char fix[] = "make, or make install PREFIX=... again";
    struct burl_path_tools t;
    struct burl_err err;

    if (burl_path_tools(&t, &err) != BURL_OK) {
        burl__doctor_add(d, "parts of burl", BURL_DOCTOR_MISSING, "mount /proc", "%s", err.msg);
        return;
    }
    if (!burl_fs_exists(t.instr))
        burl__doctor_add(d, "instrumenter", BURL_DOCTOR_MISSING, fix, "%s is missing", t.instr);
    else
        try_compiling(d, t.exe);
    if (!burl_fs_exists(t.rt))
        burl__doctor_add(d, "runtime", BURL_DOCTOR_MISSING, fix, "%s is missing", t.rt);
    else
        burl__doctor_add(d, "runtime", BURL_DOCTOR_OK, NULL, "%s", t.rt);
    check_part(d, t.lib_dir, "burl-analyze", "static analysis", fix);
    check_part(d, t.lib_dir, "burl-api", "header reader", fix);
    burl_path_tools_deinit(&t);
}

/* Tried in a child, because it cannot be undone in us and containers often forbid it. */
static void
check_aslr(struct burl_doctor *d)
{
    const char *const argv[] = { "/bin/true", NULL };
    struct burl_proc_opts opts = { .argv = argv, .no_aslr = true };
    struct burl_proc_output out;
    struct burl_err err;

    if (burl_proc_capture(&out, &opts, TOOL_TIMEOUT_MS, 4096, &err) == BURL_OK) {
        burl_proc_output_deinit(&out);
        burl__doctor_add(d, "fixed addresses", BURL_DOCTOR_OK, NULL,
                         "address randomization can be disabled for tested programs");
        return;
    }
    burl__doctor_add(d, "fixed addresses", BURL_DOCTOR_MISSING,
                     "in a container: start it with --security-opt seccomp=unconfined; elsewhere: "
                     "sysctl kernel.randomize_va_space=0",
                     "personality(ADDR_NO_RANDOMIZE) is forbidden (%s); exact replay needs it",
                     strerror(err.sys));
}

static void
check_memfd(struct burl_doctor *d)
{
    int fd = memfd_create("burl-doctor", MFD_CLOEXEC);
    void *p = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, 4096) == 0)
        p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        burl__doctor_add(d, "shared memory", BURL_DOCTOR_MISSING,
                         "use kernel 3.17 or newer, with memfd_create allowed",
                         "memfd_create or its mapping failed: %s", strerror(errno));
    } else {
        munmap(p, 4096);
        burl__doctor_add(d, "shared memory", BURL_DOCTOR_OK, NULL, "memfd_create works");
    }
    if (fd >= 0)
        close(fd);
}

static void
check_fsgsbase(struct burl_doctor *d)
{
    if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT)
        burl__doctor_add(d, "fast switches", BURL_DOCTOR_OK, NULL, "wrfsbase is available");
    else
        burl__doctor_add(d, "fast switches", BURL_DOCTOR_NOTE,
                         "use kernel 5.9 or newer, on a CPU with FSGSBASE",
                         "no wrfsbase: each fiber switch makes a system call instead");
}

static void
check_disk(struct burl_doctor *d)
{
    char number[BURL_NUMBER_B];
    long long free_b = burl_fs_free_b(".");

    if (access(".", W_OK | X_OK) != 0)
        burl__doctor_add(d, "store directory", BURL_DOCTOR_NOTE,
                         "change to a writable directory, or give --dir=DIR",
                         "the current directory is not writable (%s), so .burl cannot be created",
                         strerror(errno));
    else if (free_b >= 0 && free_b < MIN_FREE_B)
        burl__doctor_add(d, "store directory", BURL_DOCTOR_NOTE,
                         "free some space, or give --dir=DIR on another disk", "only %lld MB free",
                         free_b >> 20);
    else
        burl__doctor_add(d, "store directory", BURL_DOCTOR_OK, NULL,
                         "the current directory is writable, %s MB free",
                         free_b >= 0 ? burl_number((uint64_t)free_b >> 20, number) : "?");
}

static void
check_files(struct burl_doctor *d)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= BURL_TARGET_FILES)
        return;
    burl__doctor_add(d, "open files", BURL_DOCTOR_MISSING,
                     "raise it, for example with `ulimit -n 1024`",
                     "the limit on open files is %lu; programs cannot be tested below %u",
                     (unsigned long)r.rlim_cur, BURL_TARGET_FILES);
}

void
burl__doctor_machine(struct burl_doctor *d)
{
    check_system(d);
    check_files(d);
    check_clang(d);
    check_parts(d);
    check_aslr(d);
    check_memfd(d);
    check_fsgsbase(d);
    check_tool(d, "lld", "ld.lld-19", BURL_DOCTOR_NOTE, "apt-get install lld-19",
               "builds with -flto need it");
    check_tool(d, "ld", "ld", BURL_DOCTOR_NOTE, "apt-get install binutils",
               "burl synth needs it to make seeds of tests");
    check_tool(d, "objcopy", "objcopy", BURL_DOCTOR_NOTE, "apt-get install binutils",
               "burl synth needs it to make seeds of tests");
    check_tool(d, "gdb", "gdb", BURL_DOCTOR_NOTE, "apt-get install gdb",
               "burl replay --gdb needs it");
    check_disk(d);
}
