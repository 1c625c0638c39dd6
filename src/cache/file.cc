#include "cache/file.h"

#include <array>

#include "base/try.h"
#include "cache/stored_change.h"

namespace highwater::cache {

namespace {

constexpr std::string_view magic = "highwater cache\n";
constexpr std::uint32_t format = 1;
constexpr std::size_t header_size = magic.size() + 4;
constexpr std::size_t digest_size = 32;
constexpr std::size_t record_size_min = 8 + digest_size + digest_size;

template <typename Number>
void append_number(Bytes& out, Number value) {
    for (unsigned shift = 0; shift < 8 * sizeof(value); shift += 8) {
        out += static_cast<char>(value >> shift);
    }
}

template <typename Number>
Number read_number(BytesView bytes) {
    Number value = 0;
    for (std::size_t i = sizeof(value); i-- > 0;) {
        value = static_cast<Number>(value << 8U) | static_cast<std::uint8_t>(bytes[i]);
    }
    return value;
}

BytesView raw(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

Bytes make_header() {
    Bytes header(magic);
    append_number(header, format);
    return header;
}

/// size | digest of the record before | payload | digest of all this.
struct Record {
    Bytes bytes;
    Digest digest;
};

Record make_record(const Digest& before, BytesView payload) {
    Record record;
    record.bytes.reserve(record_size_min + payload.size());
    append_number(record.bytes, static_cast<std::uint64_t>(payload.size()));
    record.bytes += raw(before);
    record.bytes += payload;
    record.digest = digest_of(record.bytes);
    record.bytes += raw(record.digest);
    return record;
}

/// The record at the start of `bytes`, checked; nothing when it is not whole or not right.
struct FoundRecord {
    std::uint64_t claimed_size = 0;
    bool is_right = false;
    BytesView before;
    BytesView payload;
    Digest digest;
};

FoundRecord find_record(BytesView bytes) {
    FoundRecord found;
    found.claimed_size = bytes.size() + 1;
    if (bytes.size() < record_size_min) return found;
    const auto payload_size = read_number<std::uint64_t>(bytes);
    if (payload_size > bytes.size() - record_size_min) return found;
    found.claimed_size = record_size_min + payload_size;
    const BytesView covered = bytes.substr(0, found.claimed_size - digest_size);
    found.digest = digest_of(covered);
    found.before = covered.substr(8, digest_size);
    found.payload = covered.substr(8 + digest_size);
    found.is_right = bytes.substr(covered.size(), digest_size) == raw(found.digest);
    return found;
}

bool is_all_zero(BytesView bytes) {
    return bytes.find_first_not_of('\0') == BytesView::npos;
}

}  // namespace

File::File(Disk& disk, env::Clock& clock, std::string path, const FileLimits& limits)
    : disk_(disk), clock_(clock), path_(std::move(path)), limits_(limits) {}

void File::discard(Discarded::Reason reason, std::string what) {
    position_ = {};
    discarded_ = {reason, path_ + ": " + std::move(what)};
}

Result<std::shared_ptr<const Snapshot>> File::load() {
    const auto state = TRY(disk_.find_state(path_));
    if (!state) {
        position_ = {};
        state_.reset();
        discarded_.reset();
        return position_.snapshot;
    }
    if (state_ == state) return position_.snapshot;
    const bool goes_on = state_ && state_->inode == state->inode && position_.end != 0 &&
                         state->size_bytes > position_.end;
    TRY(goes_on ? read_on() : read_again());
    return position_.snapshot;
}

Result<void> File::read_again() {
    const FileBytes read = TRY(disk_.read(path_, 0, limits_.size_bytes_max));
    state_ = read.state;
    position_ = {};
    discarded_.reset();
    const BytesView bytes = read.bytes;
    if (read.state.size_bytes > limits_.size_bytes_max) {
        discard(Discarded::Reason::too_large, "more than the allowed size");
    } else if (bytes.size() < header_size || !bytes.starts_with(magic)) {
        discard(Discarded::Reason::not_a_cache, "not a cache file");
    } else if (read_number<std::uint32_t>(bytes.substr(magic.size())) != format) {
        discard(Discarded::Reason::unknown_format, "a format of another version");
    } else {
        Position position{.end = header_size, .base_end = 0, .digest = {}, .snapshot = nullptr};
        if (take_in(bytes.substr(header_size), position)) position_ = std::move(position);
    }
    return {};
}

Result<void> File::read_on() {
    const FileBytes read = TRY(disk_.read(path_, position_.end, limits_.size_bytes_max));
    const bool is_same_file = state_ && read.state.inode == state_->inode;
    Position position = position_;
    if (!is_same_file || !take_in(read.bytes, position)) return read_again();
    state_ = read.state;
    position_ = std::move(position);
    return {};
}

/// Takes in record after record, up to the end or to a last one that is not finished. False, and
/// discarded, when a record before that is not right.
bool File::take_in(BytesView bytes, Position& position) {
    while (!bytes.empty() || !position.snapshot) {
        const FoundRecord found = find_record(bytes);
        if (!found.is_right) {
            // The first record came with the file, whole; a later one may have been cut short.
            const bool is_last = found.claimed_size >= bytes.size() || is_all_zero(bytes);
            if (is_last && position.snapshot) return true;
            discard(Discarded::Reason::corrupt,
                    "a broken record at byte " + std::to_string(position.end));
            return false;
        }
        if (found.before != raw(position.digest)) {
            discard(Discarded::Reason::forked,
                    "the record at byte " + std::to_string(position.end) + " continues another");
            return false;
        }
        auto snapshot = decode_change(position.snapshot, found.payload);
        if (!snapshot.ok()) {
            const bool is_fork = snapshot.error().code() == Code::conflict;
            discard(is_fork ? Discarded::Reason::forked : Discarded::Reason::corrupt,
                    snapshot.error().message());
            return false;
        }
        position.snapshot = *std::move(snapshot);
        position.digest = found.digest;
        position.end += found.claimed_size;
        if (position.base_end == 0) position.base_end = position.end;
        bytes.remove_prefix(found.claimed_size);
    }
    return true;
}

Result<std::unique_ptr<DiskLock>> File::lock() {
    const Duration deadline = clock_.steady() + limits_.lock_wait_max;
    for (;;) {
        auto held = TRY(disk_.try_lock(path_ + ".lock"));
        if (held) return held;
        if (clock_.steady() >= deadline) break;
        clock_.wait(limits_.lock_retry, {});
    }
    return Error(Code::unavailable, path_ + ": another process holds its lock");
}

Result<std::shared_ptr<const Snapshot>> File::store(const std::shared_ptr<const Snapshot>& next) {
    const auto held = TRY(lock());
    const auto current = TRY(load());
    auto merged = newest(current, next);
    if (!merged || merged == current) return merged;
    const std::uint64_t log_bytes = position_.end - position_.base_end;
    const bool is_long = log_bytes > limits_.log_bytes_min && log_bytes > position_.base_end;
    const bool may_append = current && !is_long && is_successor(*current, *merged);
    const auto stored = may_append ? append(*merged) : replace(*merged);
    if (!stored.ok()) {
        // Any part of it may be on the disk: the next reading tells.
        state_.reset();
        return stored.error();
    }
    position_.snapshot = merged;
    discarded_.reset();
    state_ = TRY(disk_.find_state(path_));
    return merged;
}

Result<void> File::append(const Snapshot& next) {
    const Bytes payload = encode_change(position_.snapshot.get(), next);
    const Record record = make_record(position_.digest, payload);
    if (position_.end + record.bytes.size() > limits_.size_bytes_max) return replace(next);
    TRY(disk_.write(path_, position_.end, record.bytes));
    TRY(disk_.sync(path_));
    position_.end += record.bytes.size();
    position_.digest = record.digest;
    return {};
}

Result<void> File::replace(const Snapshot& next) {
    const Record record = make_record({}, encode_change(nullptr, next));
    const Bytes bytes = make_header() + record.bytes;
    if (bytes.size() > limits_.size_bytes_max) {
        return Error(Code::exhausted, path_ + ": a cache of " + std::to_string(bytes.size()) +
                                          " bytes is larger than allowed");
    }
    const std::string temporary = path_ + ".new";
    TRY(disk_.write(temporary, 0, bytes));
    TRY(disk_.sync(temporary));
    TRY(disk_.rename(temporary, path_));
    position_.end = position_.base_end = bytes.size();
    position_.digest = record.digest;
    return {};
}

std::string_view to_text(Discarded::Reason reason) {
    switch (reason) {
        case Discarded::Reason::not_a_cache: return "not_a_cache";
        case Discarded::Reason::unknown_format: return "unknown_format";
        case Discarded::Reason::corrupt: return "corrupt";
        case Discarded::Reason::forked: return "forked";
        case Discarded::Reason::too_large: return "too_large";
    }
    return "unknown";
}

}  // namespace highwater::cache
