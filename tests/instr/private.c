/* SPDX-License-Identifier: Apache-2.0 */
/* Functions named only_* touch private or constant memory and must have no access sites; those
 * named some_* give an address away and must have some. */
#include <string.h>

struct point {
    int x, y;
};

extern void publish(const void *p);
extern int known(const char *s);
static const int primes[] = { 2, 3, 5, 7, 11 };

static int
sum(const int *v, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}

int
only_array(int n)
{
    int a[8];
    int s = 0;
    for (int i = 0; i < 8; i++)
        a[i] = i * n;
    for (int i = 0; i < 8; i++)
        s += a[7 - i];
    return s + sum(a, 8);
}

int
only_struct(struct point p, int n)
{
    struct point q[3];
    memset(q, 0, sizeof q);
    q[n % 3] = p;
    return q[1].x + (int)strlen("constant");
}

int
only_constants(int n)
{
    return primes[n % 5];
}

int
some_array(int n)
{
    int a[8];
    a[n % 8] = n;
    publish(a);
    return a[2];
}

int
some_pointer(int *p)
{
    return *p;
}
