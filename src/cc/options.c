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
#define SETS(field) .flag = offsetof(struct burl__cc, field)
#define MEANS(x) .meaning = BURL__MEAN_##x
#define NOTHING MEANS(NONE)

/* Options that are treated alike. Of several names that fit a word the longest counts. */
static const struct burl__option table[] = {
    /* What to do. */
    { "-c --compile", FLAG, 0, SETS(compile_only) },
    { "-S --assemble", FLAG, 0, SETS(assemble_only) },
    { "-emit-llvm", FLAG, 0, SETS(emit_llvm) },
    { "-o", EITHER, 0, MEANS(OUTPUT) },
    { "--output", SEP, 0, MEANS(OUTPUT) },
    { "--output=", JOINED, 0, MEANS(OUTPUT) },
    { "-x", EITHER, 0, MEANS(LANG) },
    { "--language", SEP, 0, MEANS(LANG) },
    { "--language=", JOINED, 0, MEANS(LANG) },
    { "-objcmt-", JOINED, FRONT, NOTHING },
    { "-save-temps --save-temps", FLAG, 0, SETS(save_temps) },
    { "-save-temps= --save-temps=", JOINED, 0, SETS(save_temps) },
    /* Commands that are not ours: clang gets them as they are. */
    { "-E --preprocess -M -MM --dependencies --user-dependencies -fsyntax-only -### -cc1 -cc1as"
      " -fdriver-only --analyze -emit-ast -emit-interface-stubs -emit-merged-ifs -extract-api"
      " -verify-pch -module-file-info -rewrite-objc -rewrite-legacy-objc --precompile --version"
      " --help -help --help-hidden",
      FLAG, ALL, SETS(plain) },
    { "-print- --print- -dump --autocomplete= -fopenmp-targets= --offload-arch=", JOINED, ALL,
      SETS(plain) },
    { "-dumpdir", SEP, 0, NOTHING },
    /* Dependency files are written by the first run only, under names we work out. */
    { "-MD -MMD --write-dependencies --write-user-dependencies", FLAG, FRONT, SETS(depend) },
    { "-MF", EITHER, FRONT, SETS(dep_file_said) },
    { "-MT -MQ", EITHER, FRONT, SETS(dep_named) },
    { "-MJ", EITHER, FRONT, NOTHING },
    { "-MG -MP -MV", FLAG, FRONT, NOTHING },
    /* Preprocessor and language. */
    { "-D -U -I -A -include -imacros -isystem -isystem-after -cxx-isystem -c-isystem"
      " -stdlib++-isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore"
      " -iwithsysroot -iframework -ivfsoverlay",
      EITHER, FRONT, NOTHING },
    { "-F", EITHER, FRONT | LINK, NOTHING },
    { "--define-macro --undefine-macro --include-directory --include -include-pch --imacros"
      " -imultilib -Xpreprocessor -Xclang -Xanalyzer --serialize-diagnostics"
      " -serialize-diagnostics",
      SEP, FRONT, NOTHING },
    { "-isysroot -B", EITHER, ALL, NOTHING },
    { "-Wp, -std= --std= -fplugin=", JOINED, FRONT, NOTHING },
    { "-Xopenmp-target -working-directory -mllvm --param -target -arch -mthread-model --sysroot"
      " -gcc-toolchain --config",
      SEP, ALL, NOTHING },
    { "-ansi -trigraphs -pedantic -pedantic-errors", FLAG, FRONT, NOTHING },
    { "-W", JOINED, FRONT | LINK, NOTHING },
    { "-ftime-trace", JOINED, 0, NOTHING },
    { "--coverage -fprofile-arcs -ftest-coverage", FLAG, ALL, SETS(coverage) },
    { "-gsplit-dwarf", JOINED, FRONT | BACK, NOTHING },
    { "-ffreestanding", FLAG, ALL, SETS(freestanding) },
    { "-flto", FLAG, ALL, SETS(lto) },
    { "-flto=", JOINED, ALL, SETS(lto) },
    { "-fno-lto", FLAG, ALL, MEANS(NO_LTO) },
    { "-flto-jobs=", JOINED, LINK, NOTHING },
    /* Assembler. */
    { "-Wa,", JOINED, BACK, NOTHING },
    { "-Xassembler", SEP, BACK, NOTHING },
    /* Linker. */
    { "-Wl, -fuse-ld= --ld-path=", JOINED, LINK, NOTHING },
    { "-Xlinker -rpath -framework", SEP, LINK, NOTHING },
    { "-L -T -u -z -e", EITHER, LINK, NOTHING },
    { "-l", EITHER, LINK, MEANS(LIB) },
    { "-s -pie -no-pie -nopie -rdynamic -shared --shared -static-libgcc -static-libstdc++"
      " -nostartfiles",
      FLAG, LINK, NOTHING },
    { "-r", FLAG, LINK, SETS(relocatable) },
    { "-static --static -static-pie", FLAG, LINK, SETS(is_static) },
    { "-nostdlib --no-standard-libraries -nodefaultlibs -nolibc", FLAG, LINK, SETS(nostdlib) },
};

const struct burl__option *
burl__cc_option(const char *word, const char **value)
{
    const struct burl__option *best = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const bool whole = table[i].form == FLAG || table[i].form == SEP;

        for (const char *p = table[i].names; *p; p += *p == ' ') {
            const size_t n = strcspn(p, " ");

            if (n > longest && strncmp(word, p, n) == 0 && (!whole || word[n] == '\0')) {
                best = &table[i];
                longest = n;
            }
            p += n;
        }
    }
    *value = word + longest;
    return best;
}
