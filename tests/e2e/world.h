#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "demo/process.h"
#include "testkit/temporary_directory.h"

namespace highwater::e2e {

using Words = std::vector<std::string>;

/// Rows of one hour ("2026-10-06T09"): one a second from its start on, of two hosts, whose load
/// counts up from `first`.
struct Rows {
    std::string hour;
    int count = 1;
    int first = 0;
};

/// Those rows as a CSV file: ts,host,load.
std::string csv_of(const std::vector<Rows>& rows);

/// What a query says of all rows that it was served.
struct Totals {
    std::uint64_t count = 0;
    double load = 0;

    friend bool operator==(const Totals&, const Totals&) = default;
};

Totals totals_of(const std::vector<Rows>& rows);

/// The value at a dotted path ("rows.0.count"); null, and the test fails, when there is none.
Json at(const Json& answer, std::string_view path);
/// The same as text or number.
std::string text(const Json& answer, std::string_view path);
std::uint64_t number(const Json& answer, std::string_view path);
/// How many elements the array at `path` has.
std::size_t length(const Json& answer, std::string_view path);

/// The content of a file; the test fails when there is none.
std::string content(const std::string& path);
/// Makes `path` a file of these bytes.
void write(const std::string& path, std::string_view bytes);

/// A data directory with the table `cpu` in a folder of its own, and the real program to use on it.
/// Every command is a process of its own.
class World {
public:
    World();

    /// The folder around the data directory; goes when the world does.
    const std::string& folder() const { return folder_.path(); }
    std::string directory() const { return folder() + "/data"; }

    /// Runs the program on the data directory with --json; the test fails when that is not what it
    /// answers.
    demo::Command run(Words words) const;
    /// The answer; the test fails, and shows it, when the exit code is another.
    Json expect(int exit_code, Words words) const;
    /// Runs the program on the data directory without --json.
    demo::Finished say(Words words) const;

    /// Stages `rows` of `cpu` as `batch`; what the program answered.
    Json stage(const std::string& batch, const std::vector<Rows>& rows,
               const Words& more = {}) const;
    std::string manifest(const std::string& batch) const {
        return folder() + "/" + batch + ".json";
    }
    /// Stages and publishes; the token of the generation.
    std::string publish(const std::string& batch, const std::vector<Rows>& rows,
                        const Words& more = {}) const;

    /// The words that ask for the totals of `cpu`; `contract` says which hours and how.
    static Words ask(const Words& contract);
    /// The totals, which must be answered.
    Totals totals(const Words& contract) const;
    /// The token of the newest generation.
    std::string head() const;
    /// Absolute paths of the objects that `staged` (an answer of `stage`) lists.
    static std::vector<std::string> objects_of(const Json& staged);

private:
    testkit::TemporaryDirectory folder_;
};

/// The totals in an answer to `World::ask`.
Totals totals_in(const Json& answer);

/// `words` with `more` behind them.
Words operator+(Words words, const Words& more);

/// --from and --to for one hour of 2026-10-06.
Words hour(int of_day);
/// "2026-10-06T09"
std::string hour_name(int of_day);

}  // namespace highwater::e2e
