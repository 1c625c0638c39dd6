#include "object/local_upload.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/hex.h"
#include "base/try.h"

namespace highwater::object {

namespace {

constexpr std::string_view staged_ending = ".staged";
constexpr std::size_t staged_entries_max = 1'000'000;

/// "<process>-<random>.staged"
std::string make_staged_name(env::Random& random) {
    std::array<char, 8> bytes{};
    const std::uint64_t number = random.next();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i));
    return std::to_string(::getpid()) + "-" + format_hex({bytes.data(), bytes.size()}) +
           std::string(staged_ending);
}

bool is_staged_name(std::string_view name) {
    if (!name.ends_with(staged_ending)) return false;
    name.remove_suffix(staged_ending.size());
    const auto dash = name.find('-');
    if (dash == name.npos || dash == 0) return false;
    const bool process = std::ranges::all_of(
        name.substr(0, dash), [](char digit) { return digit >= '0' && digit <= '9'; });
    const auto number = parse_hex(name.substr(dash + 1));
    return process && number && number->size() == sizeof(std::uint64_t);
}

/// A step before the link failed, so nothing is visible, whatever the machine called it.
Error unseen(const Error& error) {
    const bool told = error.code() == Code::exhausted || error.code() == Code::denied ||
                      error.code() == Code::invalid_argument;
    return {told ? error.code() : Code::unavailable, error.message()};
}

}  // namespace

Result<std::unique_ptr<Upload>> LocalUpload::begin(FileSystem& files, LocalFolders& folders,
                                                   env::Random& random, const Name& name) {
    const auto rooted = folders.make_root(name.root);
    if (!rooted.ok() && rooted.error().code() == Code::not_found) {
        return Error(Code::precondition_failed, rooted.error().message());
    }
    if (!rooted.ok()) return unseen(rooted.error());
    // Told now rather than after all bytes were written; `finish` looks again.
    const auto taken = folders.open(name.root, split_path(name.path).folder);
    if (!taken.ok() && taken.error().code() == Code::denied) return taken.error();

    auto folder = folders.make(name.root, staged_folder);
    if (!folder.ok()) return unseen(folder.error());
    std::string staged_name = make_staged_name(random);
    auto file = files.open(*folder, staged_name, FileSystem::Access::new_file);
    if (!file.ok()) return unseen(file.error());
    return std::unique_ptr<Upload>(new LocalUpload(
        files, folders, name,
        {.folder = *std::move(folder), .name = std::move(staged_name), .file = *std::move(file)}));
}

LocalUpload::LocalUpload(FileSystem& files, LocalFolders& folders, Name name, Staged staged)
    : files_(files), folders_(folders), name_(std::move(name)), staged_(std::move(staged)) {}

LocalUpload::~LocalUpload() {
    if (!finished_) forget_staged();
}

Result<void> LocalUpload::append(BytesView bytes) {
    ASSERT(!sealed_);
    if (failure_) return *failure_;
    auto written = write_all(bytes);
    // How much of a failed write reached the file is not known, so it is not gone on with.
    if (!written.ok()) failure_ = unseen(written.error());
    if (failure_) return *failure_;
    return {};
}

Result<void> LocalUpload::write_all(BytesView bytes) {
    while (!bytes.empty()) {
        const std::size_t count = TRY(files_.write(staged_.file, bytes));
        if (count == 0) return Error(Code::unavailable, "write: nothing was taken");
        bytes.remove_prefix(std::min(count, bytes.size()));
    }
    return {};
}

Result<void> LocalUpload::seal() {
    if (failure_) return *failure_;
    if (sealed_) return {};
    // After a failed sync the machine may have dropped the bytes: another one proves nothing.
    const auto synced = files_.sync(staged_.file);
    if (!synced.ok()) failure_ = unseen(synced.error());
    if (failure_) return *failure_;
    sealed_ = true;
    return {};
}

Result<Identity> LocalUpload::finish() {
    ASSERT(!finished_);
    TRY(seal());
    auto identity = publish();
    finished_ = identity.ok();
    if (!finished_) failure_ = identity.error();
    return identity;
}

Result<Identity> LocalUpload::publish() {
    const PathParts parts = split_path(name_.path);
    const auto folder = folders_.make(name_.root, parts.folder);
    if (!folder.ok()) return unseen(folder.error());

    const auto linked = files_.link(staged_.folder, staged_.name, *folder, parts.leaf);
    if (!linked.ok()) TRY(verify_linked(*folder, parts.leaf, linked.error()));

    // From here on the object is visible: no failure can say that nothing happened.
    const auto synced = files_.sync(*folder);
    if (!synced.ok()) return Error(Code::outcome_unknown, synced.error().message());
    // The second name goes first, since that changes the file's status.
    forget_staged();
    const auto status = files_.stat(staged_.file, "");
    if (!status.ok()) return Error(Code::outcome_unknown, status.error().message());
    return status->identity;
}

/// After a refused link: success when our file has the name all the same, else why it has not.
Result<void> LocalUpload::verify_linked(const FileHandle& folder, const std::string& leaf,
                                        const Error& refusal) {
    const auto there = files_.stat(folder, leaf);
    if (!there.ok() && there.error().code() == Code::not_found) {
        if (refusal.code() == Code::already_exists) return refusal;
        return unseen(refusal);
    }
    const auto ours = files_.stat(staged_.file, "");
    if (!there.ok() || !ours.ok()) return Error(Code::outcome_unknown, refusal.message());
    if (there->identity.inode == ours->identity.inode) return {};
    return Error(Code::already_exists, "object '" + name_.path + "' is there already");
}

/// What cannot be removed now is swept later.
void LocalUpload::forget_staged() {
    static_cast<void>(files_.unlink(staged_.folder, staged_.name));
}

Result<std::size_t> sweep_staged(FileSystem& files, LocalFolders& folders, const std::string& root,
                                 Time before) {
    const auto folder = folders.open(root, staged_folder);
    if (!folder.ok() && folder.error().code() == Code::not_found) return 0U;
    if (!folder.ok()) return folder.error();

    std::size_t removed = 0;
    for (const DirectoryEntry& entry : TRY(files.list(*folder, staged_entries_max))) {
        if (entry.type != FileType::file || !is_staged_name(entry.name)) continue;
        const auto status = files.stat(*folder, entry.name);
        if (!status.ok() && status.error().code() == Code::not_found) continue;
        if (!status.ok()) return status.error();
        if (status->identity.mtime_ns >= to_ns(before)) continue;
        const auto unlinked = files.unlink(*folder, entry.name);
        if (!unlinked.ok() && unlinked.error().code() == Code::not_found) continue;
        if (!unlinked.ok()) return unlinked.error();
        ++removed;
    }
    return removed;
}

}  // namespace highwater::object
