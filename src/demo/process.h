#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace highwater::demo {

/// What a finished child process left.
struct Finished {
    int exit_code = 0;  // 128 + signal when it was killed.
    std::string out;
    std::string err;
};

constexpr std::size_t output_size_max = std::size_t{256} << 20U;

/// Runs `program` with `arguments` to its end, standard input closed.
///
/// Errors: unavailable  it could not be started; exhausted  it wrote more than `output_size_max`.
Result<Finished> run_process(const std::string& program, const std::vector<std::string>& arguments);

/// One command of the program's own, as a user would type it, with its JSON answer.
struct Command {
    std::vector<std::string> arguments;
    int exit_code = 0;
    Json answer;

    /// "highwater publish manifest.json", quoted where a shell needs it.
    std::string line() const;
};

/// Runs commands of one program on one data directory; each is a process of its own.
class Shell {
public:
    Shell(std::string program, std::string directory)
        : program_(std::move(program)), directory_(std::move(directory)) {}

    /// Runs `arguments` with `--dir` and `--json` added.
    ///
    /// Errors: those of `run_process`; corrupt when the answer is not one JSON document.
    Result<Command> run(std::vector<std::string> arguments) const;

    /// The same, but any other exit code than `exit_code` is an error that shows what was said.
    Result<Command> expect(int exit_code, std::vector<std::string> arguments) const;

    const std::string& directory() const { return directory_; }

private:
    std::string program_;
    std::string directory_;
};

}  // namespace highwater::demo
