// Replays stored inputs through a fuzz target, so that what libFuzzer once found stays found in
// every build. A crash or a sanitizer report ends the program; so does a corpus without a file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void replay(const std::filesystem::path& path) {
    std::cout << path.string() << "\n"
              << std::flush;  // Flushed: the last one printed is the culprit.
    const std::string bytes = read_file(path);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
        std::cerr << "usage: " << argv[0] << " CORPUS_FOLDER\n";
        return 2;
    }
    std::size_t replayed = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
        if (!entry.is_regular_file()) continue;
        replay(entry.path());
        ++replayed;
    }
    if (replayed == 0) {
        std::cerr << argv[1] << ": a corpus needs at least one file\n";
        return 1;
    }
    return 0;
}
