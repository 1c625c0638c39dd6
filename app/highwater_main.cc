// The composition root of the command line: the only file that reads the environment and the real
// arguments, chooses implementations and owns them.

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/run.h"
#include "env/clock.h"
#include "env/random.h"

namespace {

std::string variable(const char* name, std::string_view otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : std::string(otherwise);
}

/// Turns the first SIGINT or SIGTERM into a stop request; the second one ends the program at once.
/// Must be called before any thread starts, so that all of them inherit the mask.
std::stop_source listen_for_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // A closed pipe is a failed write, which is reported.
    std::stop_source interruption;
    std::thread([signals, interruption]() mutable {
        int signal = 0;
        sigwait(&signals, &signal);
        interruption.request_stop();
        sigwait(&signals, &signal);
        std::_Exit(128 + signal);
    }).detach();
    return interruption;
}

/// The running program's own path, so that the demonstration starts the same one.
std::string program_path(const char* invoked_as) {
    std::error_code failure;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", failure);
    return failure ? std::string(invoked_as) : path.string();
}

/// Kills the process at one named step: how the crash tests cut a publication or a refresh.
void kill_at(std::string_view wanted, std::string_view step) {
    if (step == wanted) ::kill(::getpid(), SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
    const std::stop_source interruption = listen_for_signals();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string kill_step = variable("HIGHWATER_KILL_AT", "");

    highwater::env::SystemClock clock;
    highwater::env::SystemRandom random;
    highwater::cli::World world{
        .terminal = {.out = std::cout,
                     .err = std::cerr,
                     .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
                     .err_is_terminal = ::isatty(STDERR_FILENO) == 1},
        .clock = clock,
        .random = random,
        .stop = interruption.get_token(),
        .default_directory = variable("HIGHWATER_DIR", "highwater-data"),
        .program = program_path(argv[0]),
        .acceptance = variable("HIGHWATER_ACCEPTANCE", "../shared/acceptance"),
        .on_step = nullptr,
    };
    if (!kill_step.empty()) {
        world.on_step = [&](std::string_view step) { kill_at(kill_step, step); };
    }
    const int status = highwater::cli::run(arguments, world);
    std::cout.flush();
    return std::cout.good() || status != 0 ? status : 1;
}
