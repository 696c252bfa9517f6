/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes each library call touches, exactly: BYTES(<hook> <n>) for every hook of the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

char a[64] = "hello", b[64] = "help", c[64], d[64], e[64];
size_t n = 3;
int ends[2];
volatile int r;
char *volatile p;

static int
compare(const void *x, const void *y)
{
    return memcmp(x, y, 2); /* BYTES(read_range 2) BYTES(read_range 2) */
}

int
main(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) /* BYTES(write_range 8) */
        return 1;
    r = strcmp(a, b);            /* BYTES(read_range 4) BYTES(read_range 4) */
    r = strncmp(a, b, n);        /* BYTES(read_range 3) BYTES(read_range 3) */
    r = strcasecmp(a, "HELLO");  /* BYTES(read_range 6) */
    r = (int)strlen(a);          /* BYTES(read_str 6) */
    r = (int)strnlen(a, n);      /* BYTES(read_range 3) */
    r = (int)strnlen(a, 20);     /* BYTES(read_range 6) */
    p = strchr(a, 'l');          /* BYTES(read_range 3) */
    p = strchr(a, 'z');          /* BYTES(read_range 6) */
    p = memchr(a, 'e', (size_t)-1); /* BYTES(read_range 2) */
    p = strstr(a, "ll");         /* BYTES(read_range 4) */
    p = strcpy(c, a);            /* BYTES(read_str 6) BYTES(write_range 6) */
    p = strcat(c, b);            /* BYTES(read_str 6) BYTES(read_str 5) BYTES(write_range 5) */
    p = strncpy(d, a, 8);        /* BYTES(read_range 6) BYTES(write_range 8) */
    p = strncat(d, a, n);        /* BYTES(read_str 6) BYTES(read_range 3) BYTES(write_range 4) */
    p = memcpy(d, a, n);         /* BYTES(read_range 3) BYTES(write_range 3) */
    p = memmove(d, d + 1, 5);    /* BYTES(read_range 5) BYTES(write_range 5) */
    p = memset(d, 0, n);         /* BYTES(write_range 3) */
    r = memcmp(a, b, n);         /* BYTES(read_range 3) BYTES(read_range 3) */
    r = (int)strspn(a, "eh");    /* BYTES(read_range 3) */
    r = (int)strcspn(a, "l");    /* BYTES(read_range 3) */
    r = snprintf(e, 4, "%s", b); /* BYTES(read_str 5) BYTES(write_range 4) */
    r = snprintf(e, 64, "%s", b); /* BYTES(read_str 5) BYTES(write_range 5) */
    r = sprintf(e, "%d", 1234);  /* BYTES(write_range 5) */
    r = (int)write(ends[0], a, n); /* BYTES(read_range 3) */
    r = (int)read(ends[1], e, 64); /* BYTES(write_range 3) */
    r = (int)send(ends[0], a, 5, 0); /* BYTES(read_range 5) */
    r = (int)recv(ends[1], e, 4, 0); /* BYTES(write_range 4) */
    r = (int)recv(ends[1], e, 64, MSG_DONTWAIT); /* BYTES(write_range 1) */
    qsort(a, 2, 2, compare);     /* BYTES(write_range 4) */
    return strcmp(c, "hellohelp") != 0; /* BYTES(read_range 10) */
}
