/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/hidden.c - library functions that keep something between calls.
 *
 * Runs in the compiler. What rand, strtok or open remember lies in the C library or the kernel,
 * where no hook sees it: two such calls of different threads depend on one another, and nothing in
 * the program shows it. Their call sites carry which memory it is. The runtime makes an access of
 * it (hooks/hooks.c), so that switches happen there, and a search of all interleavings tries both
 * orders or knows that it has not seen all there is (src/rt/search/exhaustive.c). Functions that
 * touch memory of the caller and have no row in libfn.c are in unseen.c.
 *
 * A list, so it names what people use and not everything there is; a library of one's own that is
 * not instrumented is not in it. Writing to a stream changes nothing by itself: only a program that
 * also opens, closes or reads files can tell in which order lines were written.
 *
 * Which are unsafe: those that the C library documents as MT-Unsafe (attributes(7)) and where the
 * state is one object. Two threads in one of these without a common lock are a data race; rand and
 * random have a lock of their own; what localtime gives back is written by its row in libfn.c.
 * Functions that are unsafe for certain arguments only (tmpnam, mbtowc) or in other libraries only
 * (strsignal, inet_ntoa) are not called unsafe: a miss.
 */
#include <string.h>

#include "instr/instr_int.h"

#define CHANGES BURL_HIDDEN_CHANGES
#define UNSAFE (BURL_HIDDEN_CHANGES | BURL_HIDDEN_UNSAFE)

static const struct {
    uint8_t code;
    const char *names; /* each with a space before and after it */
} kinds[] = {
    { BURL_HIDDEN_RANDOM | CHANGES, " rand srand random srandom initstate setstate " },
    { BURL_HIDDEN_DRAND48 | UNSAFE,
      " drand48 lrand48 mrand48 erand48 nrand48 jrand48 srand48 seed48 lcong48 " },
    { BURL_HIDDEN_ENVIRONMENT | BURL_HIDDEN_UNSAFE, " getenv secure_getenv " },
    { BURL_HIDDEN_ENVIRONMENT | UNSAFE, " setenv unsetenv putenv clearenv " },
    { BURL_HIDDEN_STRTOK | UNSAFE, " strtok " },
    { BURL_HIDDEN_PASSWORDS | UNSAFE, " getpwnam getpwuid getpwent setpwent endpwent " },
    { BURL_HIDDEN_GROUPS | UNSAFE, " getgrnam getgrgid getgrent setgrent endgrent " },
    { BURL_HIDDEN_HOSTS | UNSAFE, " gethostbyname gethostbyname2 gethostbyaddr gethostent " },
    { BURL_HIDDEN_SERVICES | UNSAFE, " getservbyname getservbyport getservent " },
    { BURL_HIDDEN_OPTIONS | UNSAFE, " getopt getopt_long getopt_long_only " },
    { BURL_HIDDEN_TABLE | UNSAFE, " hcreate hsearch hdestroy " },
    { BURL_HIDDEN_CRYPT | UNSAFE, " crypt " },
    { BURL_HIDDEN_DIGITS | UNSAFE, " ecvt fcvt " },
    { BURL_HIDDEN_L64A | UNSAFE, " l64a " },
    { BURL_HIDDEN_LOGIN | UNSAFE, " getlogin " },
    { BURL_HIDDEN_TERMINAL | UNSAFE, " ttyname " },
    { BURL_HIDDEN_PSEUDO | UNSAFE, " ptsname " },
    { BURL_HIDDEN_DATE | UNSAFE, " getdate " },
    { BURL_HIDDEN_MOUNTS | UNSAFE, " getmntent " },
    { BURL_HIDDEN_LOCALE | CHANGES, " setlocale uselocale textdomain bindtextdomain "
                                    "bind_textdomain_codeset " },
    { BURL_HIDDEN_OTHER | CHANGES, " localtime gmtime ctime asctime tzset strsignal "
                                   "inet_ntoa ctermid tmpnam dlerror mblen mbtowc wctomb "
                                   "signal sigaction sigset sigignore siginterrupt "
                                   "nice getpriority setpriority sched_setscheduler "
                                   "sched_getscheduler sched_setparam sched_getparam "
                                   "sched_setaffinity sched_getaffinity sched_getcpu getcpu "
                                   "getrlimit setrlimit getrlimit64 setrlimit64 prlimit prlimit64 "
                                   "getcwd get_current_dir_name chdir fchdir umask getrusage times "
                                   "getuid geteuid getgid getegid getresuid getresgid setuid "
                                   "setgid seteuid setegid setreuid setregid setresuid setresgid "
                                   "setgroups getgroups getpgrp getpgid setpgid getsid setsid "
                                   "gethostname sethostname uname getdomainname setdomainname "
                                   "pthread_setconcurrency pthread_getconcurrency "
                                   "pthread_setattr_default_np pthread_getattr_default_np "
                                   "pthread_mutex_setprioceiling pthread_mutex_getprioceiling "
                                   "semget semop semctl msgget msgsnd msgrcv msgctl shmget shmdt "
                                   "shmctl mlock munlock mlockall munlockall mincore madvise "
                                   "mallopt mallinfo mallinfo2 malloc_trim malloc_info "
                                   "nl_langinfo localeconv " },
    { BURL_HIDDEN_FILES,
      " write pwrite writev fputs fputs_unlocked fputc putc fwrite fprintf vfprintf "
      "__fprintf_chk __vfprintf_chk dprintf fflush " },
    { BURL_HIDDEN_FILES | CHANGES,
      " open open64 openat openat64 creat creat64 close dup dup2 dup3 read pread pread64 readv "
      "lseek "
      "lseek64 ftruncate truncate fcntl flock lockf unlink unlinkat remove rename renameat link "
      "symlink readlink mkdir rmdir mkstemp mkdtemp mkostemp access faccessat stat stat64 lstat "
      "lstat64 fstat fstat64 fstatat statx __xstat __lstat __fxstat fopen fopen64 fdopen freopen "
      "freopen64 tmpfile tmpfile64 fclose fread fgets fgetc getc ungetc "
      "getline getdelim fscanf __isoc99_fscanf __isoc23_fscanf fseek fseeko ftell ftello rewind "
      "feof "
      "ferror clearerr opendir readdir closedir rewinddir scandir getchar scanf "
      "__isoc99_scanf __isoc23_scanf pipe pipe2 socket socketpair accept bind listen connect "
      "eventfd "
      "epoll_create epoll_create1 epoll_ctl timerfd_create signalfd memfd_create shm_open "
      "shm_unlink inotify_init inotify_init1 ioctl fileno_unlocked mkfifo mknod chmod "
      "fchmod chown fchown utimensat sync fsync sendfile splice tee getdents seekdir telldir "
      "posix_fallocate fallocate pidfd_open userfaultfd openpty getpt posix_openpt " },
    { BURL_HIDDEN_STREAM | CHANGES,
      " fmemopen open_memstream setvbuf setbuf setbuffer shmat process_vm_readv process_vm_writev "
      "ptrace " },
    { BURL_HIDDEN_LIBRARIES | CHANGES, " dlopen dlclose " },
};

bool
burl__instr_is_word_of(const char *name, const char *words)
{
    const size_t n = strlen(name);

    if (n == 0)
        return false;
    for (const char *at = strstr(words, name); at != NULL; at = strstr(at + 1, name)) {
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    }
    return false;
}

uint8_t
burl__instr_hidden(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (burl__instr_is_word_of(name, kinds[i].names))
            return kinds[i].code;
    }
    return 0;
}
