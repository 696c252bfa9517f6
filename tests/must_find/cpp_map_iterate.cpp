/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free | crash.signal | crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: One thread walks over the sessions while another erases one; the iterator points to
 *   a freed node.
 */
#include <cassert>
#include <list>
#include <mutex>
#include <thread>

struct Session {
    int id;
    int age;
};

class Sessions {
public:
    void add(int id, int age) { sessions_.push_back(Session{id, age}); }

    void expire(int limit)
    {
        sessions_.remove_if([limit](const Session &s) { return s.age > limit; });
    }

    int count_young(int limit)
    {
        int n = 0;

        for (const Session &s : sessions_)
            n += s.age <= limit ? 1 : 0;
        return n;
    }

private:
    std::mutex mutex_; // guards sessions_
    std::list<Session> sessions_;
};

int
main()
{
    Sessions sessions;
    int n = 0;

    for (int i = 0; i < 4; i++)
        sessions.add(i, 10 * i);

    std::thread counter([&sessions, &n] { n = sessions.count_young(15); });
    std::thread reaper([&sessions] { sessions.expire(15); });

    counter.join();
    reaper.join();
    assert(n == 2);
    return 0;
}
