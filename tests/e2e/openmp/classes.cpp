/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP in C++: the first argument chooses a correct program, or the racy one. */
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <omp.h>
#include <string>
#include <vector>

struct Stats {
    long n = 0;
    double total = 0;
    void add(double x) { n++, total += x; }
    Stats &operator+=(const Stats &o) { return n += o.n, total += o.total, *this; }
};
#pragma omp declare reduction(merge : Stats : omp_out += omp_in)
#pragma omp declare reduction(append : std::vector<int> :                            \
                              omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

static double
reduction()
{
    Stats s;
    std::vector<int> all;
#pragma omp parallel for num_threads(3) reduction(merge : s) reduction(append : all)
    for (int i = 0; i < 40; i++) {
        s.add(i);
        all.push_back(i);
    }
    return s.total + std::accumulate(all.begin(), all.end(), 0);
}

static double
critical()
{
    std::map<int, std::string> m;
#pragma omp parallel for num_threads(3) schedule(dynamic)
    for (int i = 0; i < 20; i++) {
        std::string s(i, 'x');
#pragma omp critical
        m[i] = s;
    }
    return m.size();
}

struct Tree {
    Tree *left = nullptr, *right = nullptr;
    int value = 1;
    ~Tree() { delete left, delete right; }
};

static Tree *
make(int depth)
{
    Tree *t = new Tree;
    if (depth == 0)
        return t;
#pragma omp task shared(t)
    t->left = make(depth - 1);
#pragma omp task shared(t)
    t->right = make(depth - 1);
#pragma omp taskwait
    t->value = t->left->value + t->right->value;
    return t;
}

static double
tasks()
{
    Tree *t = nullptr;
#pragma omp parallel num_threads(3)
#pragma omp single
    t = make(3);
    double v = t->value;
    delete t;
    return v;
}

static double
firstprivate_objects()
{
    std::vector<int> v(8, 1);
    long sum = 0;
#pragma omp parallel for num_threads(3) firstprivate(v) reduction(+ : sum)
    for (int i = 0; i < 8; i++) {
        v[i]++;
        sum += v[i];
    }
    return sum;
}

static double
racy()
{
    std::vector<int> all;
    all.reserve(4000);
    Stats s;
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 40; i++)
        s.add(i);
    return s.total;
}

int
main(int argc, char **argv)
{
    const struct {
        const char *name;
        double (*run)();
        double expect;
    } cases[] = { { "reduction", reduction, 1560 },
                  { "critical", critical, 20 },
                  { "tasks", tasks, 8 },
                  { "firstprivate_objects", firstprivate_objects, 16 },
                  { "racy", racy, 0 } };
    for (auto &c : cases) {
        if (argc < 2)
            puts(c.name);
        else if (strcmp(argv[1], c.name) == 0)
            return c.run() != c.expect && c.expect != 0;
    }
    return 0;
}
