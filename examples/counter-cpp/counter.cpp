// SPDX-License-Identifier: Apache-2.0
//
// counter.cpp - words are counted by two threads into one table.
//
// An example for burl in C++: std::thread, std::mutex, std::unordered_map. The table has a mutex,
// and every access to it is under that mutex; the program is wrong all the same.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class WordCounter {
public:
    void add(const std::string &word)
    {
        if (!has(word))
            set(word, 1);
        else
            increment(word);
    }

    int count(const std::string &word) const
    {
        std::lock_guard<std::mutex> guard(mutex_);
        auto it = counts_.find(word);

        return it == counts_.end() ? 0 : it->second;
    }

private:
    bool has(const std::string &word) const
    {
        std::lock_guard<std::mutex> guard(mutex_);

        return counts_.find(word) != counts_.end();
    }

    void set(const std::string &word, int n)
    {
        std::lock_guard<std::mutex> guard(mutex_);

        counts_[word] = n;
    }

    void increment(const std::string &word)
    {
        std::lock_guard<std::mutex> guard(mutex_);

        counts_[word]++;
    }

    mutable std::mutex mutex_; // guards counts_
    std::unordered_map<std::string, int> counts_;
};

static void
count_words(WordCounter &counter, const std::vector<std::string> &words)
{
    for (const std::string &word : words)
        counter.add(word);
}

int
main()
{
    const std::vector<std::string> page_one = {"warp", "weft"};
    const std::vector<std::string> page_two = {"weft", "burl"};
    WordCounter counter;
    std::thread one(count_words, std::ref(counter), std::cref(page_one));
    std::thread two(count_words, std::ref(counter), std::cref(page_two));

    one.join();
    two.join();
    for (const char *word : {"warp", "weft", "burl"})
        std::printf("%s: %d\n", word, counter.count(word));
    if (counter.count("weft") != 2) {
        std::fprintf(stderr, "counter: weft was counted %d times, not 2\n", counter.count("weft"));
        return 1;
    }
    return 0;
}
