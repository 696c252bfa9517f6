#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: random numbers, counters of the processor and the number of the process differ from run to
#   run. A search of all interleavings has seen some of these values only: it claims no proof and names
#   the call. The nearest programs without such a value, or that never execute the call, get a proof.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >head.h <<'SRC'
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/times.h>
#include <unistd.h>
#ifdef __cplusplus
#include <filesystem>
#include <random>
#include <string>
extern "C" {
#endif
int sched_getcpu(void);
pid_t gettid(void);
#ifdef __cplusplus
}
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void
add(int by)
{
    pthread_mutex_lock(&lock);
    sum += by;
    pthread_mutex_unlock(&lock);
}
SRC

# claims WANT NAME SHOWN EXPRESSION [FLAGS]: the expression is evaluated by a thread, then before all.
claims() {
    for where in thread main; do
        cat >"$2.$suffix" <<SRC
#include "head.h"
static long value(void) { long x = 0; $4; return x; }
static void *work(void *arg) { add(arg != NULL && value() == 12345677L ? 3 : 1); return arg; }
int
main(int argc, char **argv)
{
    const int first = "$where"[0] == 'm' && value() == 12345678L;
    pthread_t a, b;
    pthread_create(&a, NULL, work, "$where"[0] == 't' ? argv : NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum + first == 2 ? 0 : argc;
}
SRC
        "$BURL" $compiler -w -g ${5--O1} "$2.$suffix" -o "$2" || fail "$2: does not compile"
        rm -rf .burl
        "$BURL" test --strategy=exhaustive --detect=none "./$2" >out 2>err </dev/null || :
        if [ "$1" = yes ]; then
            grep -q 'none fails\|only interleaving passes' out || fail "$2 in $where: $(cat out)"
        else
            hasnt out 'none fails'
            hasnt out 'only interleaving passes'
            has out "the result of $3 may differ from run to run"
        fi
    done
}

suffix=c
compiler=cc
claims no entropy getentropy 'getentropy(&x, 3)'
claims no random getrandom 'getrandom(&x, 3, 0)'
claims no number syscall 'syscall(SYS_getrandom, &x, 3, 0)'
claims no device open 'int fd = open("/dev/urandom", O_RDONLY); read(fd, &x, 3); close(fd)'
claims no stream fopen 'FILE *f = fopen("/dev/random", "r"); x = getc(f); fclose(f)'
claims no cpu sched_getcpu 'x = sched_getcpu()'
claims no process getpid 'x = getpid()'
claims no usage getrusage 'struct rusage u; getrusage(RUSAGE_SELF, &u); x = u.ru_maxrss'
claims no thread gettid 'x = gettid()'
claims no thread_number syscall 'x = syscall(SYS_gettid)'
claims no clock_number syscall 'x = syscall(SYS_time, 0)'
claims no session getsid 'x = getsid(0)'
claims no vector getauxval 'x = *(unsigned char *)getauxval(AT_RANDOM)'
claims no pages sysconf 'x = sysconf(_SC_AVPHYS_PAGES)'
claims no inode stat 'struct stat s; stat("/proc/self", &s); x = s.st_ino'
claims no descriptor fstat 'struct stat s; fstat(0, &s); x = s.st_ino'
claims no space statvfs 'struct statvfs v; statvfs("/", &v); x = v.f_bavail'
claims no self open 'char b[8]; int fd = open("/proc/self/stat", O_RDONLY); read(fd, b, 8); x = b[0]; close(fd)'
claims no uptime fopen 'FILE *f = fopen("/proc/uptime", "r"); x = getc(f); fclose(f)'
claims no any fopen 'FILE *f = fopen(getenv("HOME"), "r"); if (f) x = fclose(f)'
claims no link readlink 'char b[64]; x = readlink("/proc/self", b, 64) + b[0]'
claims no real realpath 'char *r = realpath("/proc/self", 0); x = r[strlen(r) - 1]; free(r)'
claims no temporary mkstemp 'char n[] = "tXXXXXX"; close(mkstemp(n)); unlink(n); x = n[3]'
claims no directory opendir 'DIR *d = opendir("/"); x = readdir(d)->d_ino; closedir(d)'
claims no port getsockname \
    'struct sockaddr_in a; socklen_t n = sizeof a; int s = socket(AF_INET, SOCK_STREAM, 0); getsockname(s, (struct sockaddr *)&a, &n); x = a.sin_port; close(s)'
claims no segment shmget 'x = shmget(IPC_PRIVATE, 8, 0); shmctl(x, IPC_RMID, 0)'
claims no adjusted adjtimex 'struct timex t = { 0 }; adjtimex(&t); x = t.time.tv_usec'
if grep -q arc4random /usr/include/stdlib.h; then
    claims no chosen arc4random 'x = arc4random()'
    claims no bounded arc4random_uniform 'x = arc4random_uniform(100)'
fi
claims no key ftok 'x = ftok("/proc/self", 1)'
claims no tree fts_open \
    'char *p[] = { (char *)"/proc/self", 0 }; FTS *f = fts_open(p, FTS_PHYSICAL, 0); x = fts_read(f)->fts_ino; fts_close(f)'
claims no control ioctl 'int n = 0; ioctl(0, FIONREAD, &n); x = n'
claims no terminal posix_openpt 'extern int posix_openpt(int); int fd = posix_openpt(O_RDWR); x = fd; close(fd)'
claims no ticks times 'struct tms t; x = times(&t)'
for o in -O0 -O2 --late; do
    claims no cycles rdtsc 'x = (long)__builtin_ia32_rdtsc()' $o
    claims no counter readcyclecounter 'x = (long)__builtin_readcyclecounter()' $o
    claims no text 'inline assembly' 'unsigned h, l; __asm__ volatile("rdtsc" : "=a"(l), "=d"(h)); x = l' $o
    claims no bytes 'inline assembly' \
        'unsigned h, l; __asm__ volatile(".byte 0x0f, 0x31" : "=a"(l), "=d"(h)); x = l' $o
done
for text in '.byte 0x0f\n.byte 0x31' '.word 0x310f' '.macro z m\n rdt\\m\n.endm\nz sc\n.purgem z' \
    'rdfsbase %%rax' 'lsl %%eax, %%eax' 'int $0x80'; do
    claims no spelled 'inline assembly' \
        "unsigned h, l = 20; __asm__ volatile(\"$text\" : \"+a\"(l), \"=d\"(h) : : \"memory\"); x = l"
done
claims no chance rdrand.32 'unsigned r; __builtin_ia32_rdrand32_step(&r); x = r' '-O1 -mrdrnd'

claims yes never - 'if (sum == 99) getentropy(&x, 3)'
claims yes seeded - 'x = 12345'
claims yes written - 'FILE *f = fopen("log", "w"); if (f) fclose(f)'
claims yes null - 'int fd = open("/dev/null", O_RDONLY); close(fd)'
claims yes processors - 'x = sysconf(_SC_NPROCESSORS_ONLN) * 0'
claims yes arithmetic - 'int r = 3; __asm__("addl $1, %0\n\tbswapl %0\n1:" : "+r"(r)); x = r'
claims yes pause - '__asm__ volatile("pause")'
claims yes zero - 'int fd = 0; x = fd'

suffix=cc
compiler=c++
claims no cxx std::random_device::_M_getval 'std::random_device d("getentropy"); x = d()'
claims no size std::filesystem::file_size 'x = std::filesystem::file_size("/proc/self/maps")'
claims no written std::filesystem::last_write_time \
    'x = std::filesystem::last_write_time("/tmp").time_since_epoch().count()'
