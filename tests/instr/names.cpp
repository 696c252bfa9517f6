// SPDX-License-Identifier: Apache-2.0
// As names.c, for C++. FUNC(x) asks for the function's name instead.
#include <string>
#include <vector>

struct Base {
    virtual ~Base();
    int base_field = 0;
};

struct Queue : Base {
    int               head, tail;
    std::vector<int> *items;
    static int        count;
    void push(int x);
    template <typename T> void put(const T &v);
};

int Queue::count;
namespace deep {
int value;
void set(Queue &q, Queue *p);
} // namespace deep

void Queue::push(int x)
{
    head = x;       /* NAME(this->head) FUNC(Queue::push) */
    base_field = 1; /* NAME(this->base_field) */
    count++;        /* NAME(count) */
}

template <typename T> void Queue::put(const T &v)
{
    tail = static_cast<int>(v); /* NAME(this->tail) NAME(v) */
}

void deep::set(Queue &q, Queue *p)
{
    q.head = 1;       /* NAME(q.head) FUNC(deep::set) */
    p->tail = 2;      /* NAME(p->tail) */
    p->base_field = 3; /* NAME(p->base_field) */
    value = 4;        /* NAME(value) */
    q.put(5L);
    p->push(3);
}
