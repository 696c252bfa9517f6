/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/hidden.c - library functions that keep something between calls.
 *
 * Runs in the compiler. What rand, strtok or open remember lies in the C library or the kernel,
 * where no hook sees it: two such calls of different threads depend on one another, and nothing in
 * the program shows it. Their call sites carry which kind of memory it is, so that a search of
 * all interleavings knows that it has not seen all there is (src/rt/sched/s_exhaustive.c).
 *
 * A list, so it names what people use and not everything there is; a library of one's own that is
 * not instrumented is not in it. Writing to a stream changes nothing by itself: only a program that
 * also opens, closes or reads files can tell in which order lines were written.
 */
#include <string.h>

#include "instr/instr_int.h"

#define CHANGES BURL_HIDDEN_CHANGES

static const struct {
    uint8_t code;
    const char *names; /* each with a space before and after it */
} kinds[] = {
    { BURL_HIDDEN_RANDOM | CHANGES, " rand srand random srandom initstate setstate drand48 lrand48 "
                                    "mrand48 srand48 seed48 lcong48 " },
    { BURL_HIDDEN_ENVIRONMENT, " getenv secure_getenv " },
    { BURL_HIDDEN_ENVIRONMENT | CHANGES, " setenv unsetenv putenv clearenv setlocale tzset " },
    { BURL_HIDDEN_RESULTS | CHANGES,
      " strtok localtime gmtime ctime asctime strsignal inet_ntoa getpwnam getpwuid getgrnam "
      "getgrgid getpwent getgrent gethostbyname gethostbyaddr getservbyname ttyname ctermid tmpnam "
      "crypt ecvt fcvt l64a getopt getopt_long hcreate hsearch hdestroy getlogin dlerror ptsname "
      "getdate getmntent mblen mbtowc wctomb " },
    { BURL_HIDDEN_FILES,
      " write pwrite writev fputs fputs_unlocked fputc putc fwrite fprintf vfprintf "
      "__fprintf_chk __vfprintf_chk dprintf fflush " },
    { BURL_HIDDEN_FILES | CHANGES,
      " open open64 openat openat64 creat creat64 close dup dup2 dup3 read pread pread64 readv "
      "lseek "
      "lseek64 ftruncate truncate fcntl flock lockf unlink unlinkat remove rename renameat link "
      "symlink readlink mkdir rmdir mkstemp mkdtemp mkostemp access faccessat stat stat64 lstat "
      "lstat64 fstat fstat64 fstatat statx __xstat __lstat __fxstat fopen fopen64 fdopen freopen "
      "freopen64 fmemopen open_memstream tmpfile tmpfile64 fclose fread fgets fgetc getc ungetc "
      "getline getdelim fscanf __isoc99_fscanf __isoc23_fscanf fseek fseeko ftell ftello rewind "
      "feof "
      "ferror clearerr setvbuf setbuf opendir readdir closedir rewinddir scandir getchar scanf "
      "__isoc99_scanf pipe pipe2 socket socketpair accept bind listen connect eventfd " },
    { BURL_HIDDEN_LIBRARIES | CHANGES, " dlopen dlclose " },
};

uint8_t
burl__instr_hidden(const char *name)
{
    const size_t n = strlen(name);

    for (size_t i = 0; n > 0 && i < sizeof kinds / sizeof kinds[0]; i++) {
        for (const char *at = strstr(kinds[i].names, name); at != NULL; at = strstr(at + 1, name)) {
            if (at[-1] == ' ' && at[n] == ' ')
                return kinds[i].code;
        }
    }
    return 0;
}
