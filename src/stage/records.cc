#include "stage/records.h"

#include <algorithm>
#include <tuple>

#include "base/try.h"

namespace highwater::stage {

namespace {

constexpr std::size_t number_digits = 20;
constexpr std::size_t chain_digits = 8;
constexpr std::string_view generations_folder = "generations";
constexpr std::string_view ending = ".json";

/// What a record's path says: "generations/<ordinal>.<random>/<number>-<chain>.json".
struct RecordName {
    std::uint64_t ordinal = 0;
    std::uint64_t number = 0;
    std::string path;

    std::pair<std::uint64_t, std::uint64_t> position() const { return {ordinal, number}; }
};

std::optional<std::uint64_t> parse_digits(std::string_view text) {
    std::uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        if (__builtin_mul_overflow(value, 10U, &value)) return std::nullopt;
        if (__builtin_add_overflow(value, static_cast<unsigned>(c - '0'), &value)) {
            return std::nullopt;
        }
    }
    return text.empty() ? std::nullopt : std::optional(value);
}

/// Nothing for a path that no record of ours has.
std::optional<RecordName> parse_record_path(const std::string& path) {
    std::string_view rest = path;
    if (!rest.starts_with(std::string(generations_folder) + "/") || !rest.ends_with(ending)) {
        return std::nullopt;
    }
    rest.remove_prefix(generations_folder.size() + 1);
    const auto slash = rest.find('/');
    const auto dot = rest.find('.');
    if (slash == std::string_view::npos || dot > slash) return std::nullopt;
    const auto ordinal = parse_digits(rest.substr(0, dot));
    const std::string_view leaf = rest.substr(slash + 1);
    const bool is_formed = leaf.size() == number_digits + 1 + chain_digits + ending.size() &&
                           leaf[number_digits] == '-';
    const auto number = is_formed ? parse_digits(leaf.substr(0, number_digits)) : std::nullopt;
    if (!ordinal || !number) return std::nullopt;
    return RecordName{.ordinal = *ordinal, .number = *number, .path = path};
}

}  // namespace

std::string record_path(const catalog::Generation& generation) {
    std::string number = std::to_string(generation.number);
    number.insert(0, number_digits - number.size(), '0');
    return std::string(generations_folder) + "/" + catalog::format_epoch(generation.epoch) + "/" +
           number + "-" + format_digest_prefix(generation.chain, chain_digits) +
           std::string(ending);
}

std::string manifest_path(const Digest& digest) {
    return "manifests/" + format_digest(digest) + std::string(ending);
}

Result<void> Records::put(const std::string& path, const Bytes& text) {
    const object::Name name{root_, path};
    const auto put = object::put_new(store_, name, text);
    if (put.ok()) return {};
    if (put.error().code() != Code::already_exists) return put.error();
    const auto there = object::get(store_, name, record_size_max);
    if (there.ok() && *there == text) return {};
    if (!there.ok() && there.error().code() != Code::exhausted) return there.error();
    return Error(Code::corrupt, "other bytes are at '" + path + "'");
}

Result<void> Records::put_manifest(const manifest::Manifest& manifest) {
    // Its canonical order, so that the same manifest is the same text however it was submitted.
    manifest::Manifest sorted = manifest;
    std::sort(sorted.partitions.begin(), sorted.partitions.end(),
              [](const auto& left, const auto& right) { return left.hour < right.hour; });
    for (manifest::PartitionClaim& partition : sorted.partitions) {
        std::sort(partition.objects.begin(), partition.objects.end(),
                  [](const auto& left, const auto& right) { return left.path < right.path; });
    }
    return put(manifest_path(manifest::digest_of(manifest)), manifest::format_manifest(sorted));
}

Result<manifest::Manifest> Records::load_manifest(const Digest& digest) {
    const std::string path = manifest_path(digest);
    const Bytes text = TRY(object::get(store_, {root_, path}, record_size_max));
    auto parsed = manifest::parse_manifest(text);
    if (!parsed.faults.empty()) {
        return Error(Code::corrupt, "'" + path + "': " + parsed.faults.front().where + ": " +
                                        parsed.faults.front().what);
    }
    if (manifest::digest_of(parsed.manifest) != digest) {
        return Error(Code::corrupt, "'" + path + "' is a manifest of another digest");
    }
    return std::move(parsed.manifest);
}

Result<void> Records::put_record(const catalog::GenerationRecord& record) {
    return put(record_path(record.generation), format_record(record));
}

Result<std::optional<catalog::GenerationRecord>> Records::find_record(
    const catalog::Generation& generation) {
    const std::string path = record_path(generation);
    const auto text = object::get(store_, {root_, path}, record_size_max);
    if (!text.ok() && text.error().code() == Code::not_found) {
        return std::optional<catalog::GenerationRecord>();
    }
    if (!text.ok()) return text.error();
    auto record = TRY(parse_record(*text).within(path));
    if (record.generation != generation) {
        return Error(Code::corrupt, "'" + path + "' is the record of another generation");
    }
    return std::optional(std::move(record));
}

Result<std::optional<catalog::GenerationRecord>> Records::find_newest_beneath(
    const std::string& prefix) {
    std::vector<RecordName> names;
    for (const object::Entry& entry : TRY(object::list_all(store_, root_, prefix))) {
        if (auto name = parse_record_path(entry.path)) names.push_back(*std::move(name));
    }
    if (names.empty()) return std::optional<catalog::GenerationRecord>();
    std::sort(names.begin(), names.end(), [](const RecordName& left, const RecordName& right) {
        return left.position() < right.position();
    });
    const RecordName& newest = names.back();
    if (names.size() > 1 && names[names.size() - 2].position() == newest.position()) {
        return Error(Code::corrupt, "two generations of one number: '" +
                                        names[names.size() - 2].path + "' and '" + newest.path +
                                        "': this line was forked");
    }
    const Bytes text = TRY(object::get(store_, {root_, newest.path}, record_size_max));
    auto record = TRY(parse_record(text).within(newest.path));
    if (record_path(record.generation) != newest.path) {
        return Error(Code::corrupt, "'" + newest.path + "' is the record of another generation");
    }
    return std::optional(std::move(record));
}

Result<std::optional<catalog::GenerationRecord>> Records::find_newest(const catalog::Epoch& epoch) {
    return find_newest_beneath(std::string(generations_folder) + "/" +
                               catalog::format_epoch(epoch));
}

Result<std::optional<catalog::GenerationRecord>> Records::find_newest() {
    return find_newest_beneath(std::string(generations_folder));
}

}  // namespace highwater::stage
