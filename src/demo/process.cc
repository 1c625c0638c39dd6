#include "demo/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "base/try.h"

extern "C" char** environ;

namespace highwater::demo {

namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;

    ~Pipe() {
        close_end(read_end);
        close_end(write_end);
    }
    static void close_end(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

Error failure(const std::string& what) {
    return Error(Code::unavailable, what + ": " + std::strerror(errno));
}

Result<void> open_pipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure("pipe");
    pipe.read_end = ends[0];
    pipe.write_end = ends[1];
    return {};
}

/// Reads what is there; closes the end at the end of the stream.
Result<void> drain(int& end, std::string& into) {
    std::array<char, 65536> buffer{};
    const auto count = ::read(end, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return {};
    if (count <= 0) {
        Pipe::close_end(end);
        return {};
    }
    if (into.size() + static_cast<std::size_t>(count) > output_size_max) {
        return Error(Code::exhausted, "a process wrote more than 256 MiB");
    }
    into.append(buffer.data(), static_cast<std::size_t>(count));
    return {};
}

Result<void> drain_both(Pipe& out, Pipe& err, Finished& finished) {
    while (out.read_end >= 0 || err.read_end >= 0) {
        std::array<pollfd, 2> ends{pollfd{out.read_end, POLLIN, 0},
                                   pollfd{err.read_end, POLLIN, 0}};
        if (::poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return failure("poll");
        if (ends[0].revents != 0) TRY(drain(out.read_end, finished.out));
        if (ends[1].revents != 0) TRY(drain(err.read_end, finished.err));
    }
    return {};
}

Result<pid_t> start(const std::string& program, const std::vector<std::string>& arguments,
                    const Pipe& out, const Pipe& err) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

    pid_t child = 0;
    const int refused =
        ::posix_spawn(&child, program.c_str(), &actions, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (refused != 0) {
        return Error(Code::unavailable, "start " + program + ": " + std::strerror(refused));
    }
    return child;
}

bool needs_quotes(const std::string& word) {
    return word.empty() || word.find_first_of(" \t\n\"'`$&|;<>()*?[]{}~#\\") != word.npos;
}

}  // namespace

Result<Finished> run_process(const std::string& program,
                             const std::vector<std::string>& arguments) {
    Pipe out;
    Pipe err;
    TRY(open_pipe(out));
    TRY(open_pipe(err));
    const pid_t child = TRY(start(program, arguments, out, err));
    Pipe::close_end(out.write_end);
    Pipe::close_end(err.write_end);

    Finished finished;
    const auto drained = drain_both(out, err, finished);
    if (!drained.ok()) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!drained.ok()) return drained.error();
    finished.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return finished;
}

std::string Command::line() const {
    std::string text = "highwater";
    for (const auto& word : arguments) {
        text += needs_quotes(word) ? " '" + word + "'" : " " + word;
    }
    return text;
}

Result<Command> Shell::run(std::vector<std::string> arguments) const {
    std::vector<std::string> words{"--dir", directory_, "--json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished finished = TRY(run_process(program_, words));
    Command command{std::move(arguments), finished.exit_code, {}};
    auto answer = parse_json(finished.out);
    if (!answer.ok()) {
        return Error(Code::corrupt, command.line() + ": exit " +
                                        std::to_string(finished.exit_code) +
                                        ", no JSON answer: " + format_quoted(finished.err, 2'000));
    }
    command.answer = *std::move(answer);
    return command;
}

Result<Command> Shell::expect(int exit_code, std::vector<std::string> arguments) const {
    Command command = TRY(run(std::move(arguments)));
    if (command.exit_code != exit_code) {
        return Error(Code::precondition_failed,
                     command.line() + ": exit code " + std::to_string(command.exit_code) +
                         ", not " + std::to_string(exit_code) + ": " +
                         format_quoted(format_json(command.answer), 4'000));
    }
    return command;
}

}  // namespace highwater::demo
