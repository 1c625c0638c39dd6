#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testkit/fault.h"

namespace highwater::catalog {

/// The files of SQLite on a machine that can fail: each call to the file system is one call of a
/// Fault, and the power can be cut, so that what was not synced is gone.
///
/// It is SQLite's default VFS under the name of `name`, for as long as the object lives; catalogs
/// on it are closed before it goes. One at a time; not thread-safe. Shared memory and locks are
/// those of this process and are not lost with the power: remove "-shm" files after it.
class SqliteFaultVfs {
public:
    static constexpr const char* name = "faulty";

    SqliteFaultVfs();
    ~SqliteFaultVfs();
    SqliteFaultVfs(const SqliteFaultVfs&) = delete;
    SqliteFaultVfs& operator=(const SqliteFaultVfs&) = delete;

    /// Every call fails as `fault` says; nothing: none does.
    void fail_with(testkit::Fault* fault) { fault_ = fault; }

    /// From here on there is no space, or there is again: a file that is written to grows by half
    /// of what it should.
    void set_full(bool is_full) { is_full_ = is_full; }

    /// From here on every call fails without effect, as if the process were killed.
    void kill() { is_dead_ = true; }

    /// After `kill`, and after everything is closed: takes back all that was not synced, except for
    /// what a coin of `keep_seed` leaves there, write by write. Without a seed nothing is left.
    void cut_power(std::optional<std::uint64_t> keep_seed);

    /// After everything is closed: the machine runs again, on the files that are there.
    void start_again();

    struct Impl;

private:
    friend struct Impl;

    /// A change of a file that no sync has made durable yet.
    struct Change {
        enum class Kind { write, truncate, remove } kind = Kind::write;
        std::uint64_t offset = 0;
        std::string bytes;
    };

    /// What is on the platter, and what is on its way there.
    struct File {
        std::optional<std::string> durable;  // Nothing: no such file.
        std::vector<Change> unsynced;
    };

    static void apply(const Change& change, std::optional<std::string>& content);

    std::map<std::string, File> files_;
    testkit::Fault* fault_ = nullptr;
    bool is_dead_ = false;
    bool is_full_ = false;
    bool has_refused_ = false;  // The last call that could be refused was.
    std::unique_ptr<Impl> impl_;
};

}  // namespace highwater::catalog
