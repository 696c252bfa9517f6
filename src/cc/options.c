/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/options.c - the options of clang that the wrapper must distinguish.
 *
 * An option needs a row here for one of two reasons: it takes the next word as its value (which
 * would otherwise look like an input file), or one of the runs must not get it. Every other option
 * is a single word for all runs, which is right for almost all of -f, -m, -O and -g.
 */
#include <string.h>

#include "cc/cc_int.h"

#define FLAG BURL__FORM_FLAG
#define SEP BURL__FORM_SEP
#define JOINED BURL__FORM_JOINED
#define EITHER BURL__FORM_EITHER
#define FRONT BURL__STAGE_FRONT
#define BACK BURL__STAGE_BACK
#define LINK BURL__STAGE_LINK
#define ALL BURL__STAGE_ALL
#define NONE BURL__MEAN_NONE
#define PLAIN BURL__MEAN_PLAIN

/* Of several rows that fit a word the longest name counts. */
static const struct burl__option table[] = {
    /* What to do. */
    { "-c", FLAG, 0, BURL__MEAN_C },
    { "--compile", FLAG, 0, BURL__MEAN_C },
    { "-S", FLAG, 0, BURL__MEAN_S },
    { "--assemble", FLAG, 0, BURL__MEAN_S },
    { "-emit-llvm", FLAG, 0, BURL__MEAN_EMIT_LLVM },
    { "-o", EITHER, 0, BURL__MEAN_OUTPUT },
    { "--output", SEP, 0, BURL__MEAN_OUTPUT },
    { "--output=", JOINED, 0, BURL__MEAN_OUTPUT },
    { "-x", EITHER, 0, BURL__MEAN_LANG },
    { "--language", SEP, 0, BURL__MEAN_LANG },
    { "--language=", JOINED, 0, BURL__MEAN_LANG },
    { "-objcmt-", JOINED, FRONT, NONE },
    { "-save-temps", FLAG, 0, BURL__MEAN_SAVE_TEMPS },
    { "-save-temps=", JOINED, 0, BURL__MEAN_SAVE_TEMPS },
    { "--save-temps", FLAG, 0, BURL__MEAN_SAVE_TEMPS },
    { "--save-temps=", JOINED, 0, BURL__MEAN_SAVE_TEMPS },
    /* Commands that are not ours. */
    { "-E", FLAG, ALL, PLAIN },
    { "--preprocess", FLAG, ALL, PLAIN },
    { "-M", FLAG, ALL, PLAIN },
    { "-MM", FLAG, ALL, PLAIN },
    { "--dependencies", FLAG, ALL, PLAIN },
    { "--user-dependencies", FLAG, ALL, PLAIN },
    { "-fsyntax-only", FLAG, ALL, PLAIN },
    { "-###", FLAG, ALL, PLAIN },
    { "-cc1", FLAG, ALL, PLAIN },
    { "-cc1as", FLAG, ALL, PLAIN },
    { "-fdriver-only", FLAG, ALL, PLAIN },
    { "--analyze", FLAG, ALL, PLAIN },
    { "-emit-ast", FLAG, ALL, PLAIN },
    { "-emit-interface-stubs", FLAG, ALL, PLAIN },
    { "-emit-merged-ifs", FLAG, ALL, PLAIN },
    { "-extract-api", FLAG, ALL, PLAIN },
    { "-verify-pch", FLAG, ALL, PLAIN },
    { "-module-file-info", FLAG, ALL, PLAIN },
    { "-rewrite-objc", FLAG, ALL, PLAIN },
    { "-rewrite-legacy-objc", FLAG, ALL, PLAIN },
    { "--precompile", FLAG, ALL, PLAIN },
    { "-print-", JOINED, ALL, PLAIN },
    { "--print-", JOINED, ALL, PLAIN },
    { "-dump", JOINED, ALL, PLAIN },
    { "--version", FLAG, ALL, PLAIN },
    { "--help", FLAG, ALL, PLAIN },
    { "-help", FLAG, ALL, PLAIN },
    { "--help-hidden", FLAG, ALL, PLAIN },
    { "--autocomplete=", JOINED, ALL, PLAIN },
    { "-fopenmp-targets=", JOINED, ALL, PLAIN },
    { "--offload-arch=", JOINED, ALL, PLAIN },
    { "-dumpdir", SEP, 0, NONE },
    /* Dependency files are written by the first run only, under names we work out. */
    { "-MD", FLAG, FRONT, BURL__MEAN_DEP },
    { "-MMD", FLAG, FRONT, BURL__MEAN_DEP },
    { "--write-dependencies", FLAG, FRONT, BURL__MEAN_DEP },
    { "--write-user-dependencies", FLAG, FRONT, BURL__MEAN_DEP },
    { "-MF", EITHER, FRONT, BURL__MEAN_DEP_FILE },
    { "-MT", EITHER, FRONT, BURL__MEAN_DEP_NAME },
    { "-MQ", EITHER, FRONT, BURL__MEAN_DEP_NAME },
    { "-MJ", EITHER, FRONT, NONE },
    { "-MG", FLAG, FRONT, NONE },
    { "-MP", FLAG, FRONT, NONE },
    { "-MV", FLAG, FRONT, NONE },
    /* Preprocessor and language. */
    { "-D", EITHER, FRONT, NONE },
    { "-U", EITHER, FRONT, NONE },
    { "-I", EITHER, FRONT, NONE },
    { "-F", EITHER, FRONT | LINK, NONE },
    { "-A", EITHER, FRONT, NONE },
    { "--define-macro", SEP, FRONT, NONE },
    { "--undefine-macro", SEP, FRONT, NONE },
    { "--include-directory", SEP, FRONT, NONE },
    { "-include", EITHER, FRONT, NONE },
    { "--include", SEP, FRONT, NONE },
    { "-include-pch", SEP, FRONT, NONE },
    { "-imacros", EITHER, FRONT, NONE },
    { "--imacros", SEP, FRONT, NONE },
    { "-isystem", EITHER, FRONT, NONE },
    { "-isystem-after", EITHER, FRONT, NONE },
    { "-cxx-isystem", EITHER, FRONT, NONE },
    { "-c-isystem", EITHER, FRONT, NONE },
    { "-stdlib++-isystem", EITHER, FRONT, NONE },
    { "-iquote", EITHER, FRONT, NONE },
    { "-idirafter", EITHER, FRONT, NONE },
    { "-iprefix", EITHER, FRONT, NONE },
    { "-iwithprefix", EITHER, FRONT, NONE },
    { "-iwithprefixbefore", EITHER, FRONT, NONE },
    { "-iwithsysroot", EITHER, FRONT, NONE },
    { "-iframework", EITHER, FRONT, NONE },
    { "-imultilib", SEP, FRONT, NONE },
    { "-ivfsoverlay", EITHER, FRONT, NONE },
    { "-isysroot", EITHER, ALL, NONE },
    { "-Wp,", JOINED, FRONT, NONE },
    { "-Xpreprocessor", SEP, FRONT, NONE },
    { "-Xclang", SEP, FRONT, NONE },
    { "-Xanalyzer", SEP, FRONT, NONE },
    { "-Xopenmp-target", SEP, ALL, NONE },
    { "-std=", JOINED, FRONT, NONE },
    { "--std=", JOINED, FRONT, NONE },
    { "-ansi", FLAG, FRONT, NONE },
    { "-trigraphs", FLAG, FRONT, NONE },
    { "-pedantic", FLAG, FRONT, NONE },
    { "-pedantic-errors", FLAG, FRONT, NONE },
    { "-W", JOINED, FRONT | LINK, NONE },
    { "--serialize-diagnostics", SEP, FRONT, NONE },
    { "-serialize-diagnostics", SEP, FRONT, NONE },
    { "-fplugin=", JOINED, FRONT, NONE },
    { "-ftime-trace", JOINED, 0, NONE },
    { "-working-directory", SEP, ALL, NONE },
    { "-mllvm", SEP, ALL, NONE },
    { "--param", SEP, ALL, NONE },
    { "-target", SEP, ALL, NONE },
    { "-arch", SEP, ALL, NONE },
    { "-mthread-model", SEP, ALL, NONE },
    { "--sysroot", SEP, ALL, NONE },
    { "-gcc-toolchain", SEP, ALL, NONE },
    { "-B", EITHER, ALL, NONE },
    { "--config", SEP, ALL, NONE },
    { "--coverage", FLAG, ALL, BURL__MEAN_COVERAGE },
    { "-fprofile-arcs", FLAG, ALL, BURL__MEAN_COVERAGE },
    { "-ftest-coverage", FLAG, ALL, BURL__MEAN_COVERAGE },
    { "-gsplit-dwarf", JOINED, FRONT | BACK, BURL__MEAN_SPLIT_DWARF },
    { "-ffreestanding", FLAG, ALL, BURL__MEAN_FREESTANDING },
    { "-flto", FLAG, ALL, BURL__MEAN_LTO },
    { "-flto=", JOINED, ALL, BURL__MEAN_LTO },
    { "-fno-lto", FLAG, ALL, BURL__MEAN_NO_LTO },
    { "-flto-jobs=", JOINED, LINK, NONE },
    /* Assembler. */
    { "-Wa,", JOINED, BACK, NONE },
    { "-Xassembler", SEP, BACK, NONE },
    /* Linker. */
    { "-Wl,", JOINED, LINK, NONE },
    { "-Xlinker", SEP, LINK, NONE },
    { "-L", EITHER, LINK, NONE },
    { "-l", EITHER, LINK, BURL__MEAN_LIB },
    { "-T", EITHER, LINK, NONE },
    { "-u", EITHER, LINK, NONE },
    { "-z", EITHER, LINK, NONE },
    { "-e", EITHER, LINK, NONE },
    { "-rpath", SEP, LINK, NONE },
    { "-framework", SEP, LINK, NONE },
    { "-s", FLAG, LINK, NONE },
    { "-pie", FLAG, LINK, NONE },
    { "-no-pie", FLAG, LINK, NONE },
    { "-nopie", FLAG, LINK, NONE },
    { "-rdynamic", FLAG, LINK, NONE },
    { "-fuse-ld=", JOINED, LINK, NONE },
    { "--ld-path=", JOINED, LINK, NONE },
    { "-shared", FLAG, LINK, BURL__MEAN_SHARED },
    { "--shared", FLAG, LINK, BURL__MEAN_SHARED },
    { "-r", FLAG, LINK, BURL__MEAN_RELOC },
    { "-static", FLAG, LINK, BURL__MEAN_STATIC },
    { "--static", FLAG, LINK, BURL__MEAN_STATIC },
    { "-static-pie", FLAG, LINK, BURL__MEAN_STATIC },
    { "-static-libgcc", FLAG, LINK, NONE },
    { "-static-libstdc++", FLAG, LINK, NONE },
    { "-nostdlib", FLAG, LINK, BURL__MEAN_NOSTDLIB },
    { "--no-standard-libraries", FLAG, LINK, BURL__MEAN_NOSTDLIB },
    { "-nodefaultlibs", FLAG, LINK, BURL__MEAN_NOSTDLIB },
    { "-nolibc", FLAG, LINK, BURL__MEAN_NOSTDLIB },
    { "-nostartfiles", FLAG, LINK, NONE },
};

static bool
fits(const struct burl__option *o, const char *word)
{
    size_t n = strlen(o->name);

    if (o->form == FLAG || o->form == SEP)
        return strcmp(word, o->name) == 0;
    return strncmp(word, o->name, n) == 0;
}

const struct burl__option *
burl__cc_option(const char *word, const char **value, bool *joined)
{
    const struct burl__option *best = NULL;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (fits(&table[i], word) && (!best || strlen(table[i].name) > strlen(best->name)))
            best = &table[i];
    *value = best ? word + strlen(best->name) : NULL;
    *joined = best && **value;
    return best;
}
