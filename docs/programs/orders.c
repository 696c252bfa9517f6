#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int orders;

static int get(void)
{
    pthread_mutex_lock(&m);
    int n = orders;
    pthread_mutex_unlock(&m);
    return n;
}

static void set(int n)
{
    pthread_mutex_lock(&m);
    orders = n;
    pthread_mutex_unlock(&m);
}

static void *customer(void *arg)
{
    for (int i = 0; i < 8; i++)
        set(get() + 1); /* two critical sections: an order of the other thread may be lost */
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;

    (void)argv;
    pthread_create(&a, NULL, customer, NULL);
    pthread_create(&b, NULL, customer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d orders\n", orders);
    return argc == 1 && orders != 16;
}
