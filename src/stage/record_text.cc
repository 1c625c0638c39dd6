#include <functional>

#include "base/canonical.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/try.h"
#include "stage/records.h"

namespace highwater::stage {

namespace {

constexpr std::uint64_t format_version = 1;
constexpr int indent = 2;

using catalog::GenerationRecord;

Error not_a_record(const std::string& what) {
    return Error(Code::corrupt, "not a generation record: " + what);
}

std::string format_random(std::uint64_t random) {
    Bytes bytes;
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(random >> shift);
    return format_hex(bytes);
}

Digest digest_record(const GenerationRecord& record) {
    CanonicalWriter writer("highwater.generation-record", format_version);
    writer.add_unsigned(record.generation.epoch.ordinal)
        .add_unsigned(record.generation.epoch.random)
        .add_unsigned(record.generation.number)
        .add_digest(record.generation.chain)
        .add_digest(record.parent_chain)
        .add_text(catalog::to_text(record.operation))
        .add_text(record.batch)
        .add_text(record.idempotency_key)
        .add_digest(record.publication)
        .add_digest(record.locations)
        .add_list_size(record.manifests.size());
    for (const Digest& manifest : record.manifests) writer.add_digest(manifest);
    writer.add_signed(to_ns(record.time)).add_list_size(record.partitions.size());
    for (const catalog::PartitionKey& key : record.partitions) {
        writer.add_text(format_uuid(key.table.value)).add_signed(key.hour.since_epoch);
    }
    writer.add_list_size(record.tables.size());
    for (const catalog::TableId& table : record.tables) writer.add_text(format_uuid(table.value));
    return writer.digest();
}

/// Reads members of one object; the first that is not as it must be is kept as the error.
class Members {
public:
    explicit Members(const Json& json) : json_(json) {}

    std::string text(const char* name) {
        const Json* const member = json_.find(name);
        const std::string* const found = member ? member->find_string() : nullptr;
        if (!found) fail(name);
        return found ? *found : std::string();
    }

    std::uint64_t number(const char* name) {
        const Json* const member = json_.find(name);
        if (!member || !member->has_uint64()) {
            fail(name);
            return 0;
        }
        return member->as_uint64();
    }

    /// The text of `name` as `parse` reads it.
    template <typename Parse>
    auto parsed(const char* name, Parse parse) {
        auto value = parse(text(name));
        using Value = std::remove_cvref_t<decltype(*value)>;
        if (value.ok()) return Value(*std::move(value));
        fail(name);
        return Value();
    }

    const Json::Array& list(const char* name) {
        static const Json::Array empty;
        const Json* const member = json_.find(name);
        const Json::Array* const found = member ? member->find_array() : nullptr;
        if (!found) fail(name);
        return found ? *found : empty;
    }

    void fail(const std::string& name) {
        if (failure_.empty()) failure_ = "'" + name + "' is missing or not of its form";
    }

    const std::string& failure() const { return failure_; }

private:
    const Json& json_;
    std::string failure_;
};

Result<std::uint64_t> parse_random(std::string_view text) {
    const auto bytes = parse_hex(text);
    if (!bytes || bytes->size() != 8) return not_a_record("random");
    std::uint64_t random = 0;
    for (const char byte : *bytes) random = random << 8U | static_cast<std::uint8_t>(byte);
    return random;
}

Result<catalog::TableId> parse_table_id(std::string_view text) {
    return catalog::TableId{TRY(parse_uuid(text))};
}

Result<catalog::Operation> parse_operation(std::string_view text) {
    const auto operation = catalog::parse_operation(text);
    if (!operation) return not_a_record("operation");
    return *operation;
}

/// Everything but the digest, checked for form alone.
Result<GenerationRecord> read_members(const Json& json) {
    Members members(json);
    GenerationRecord record;
    if (members.number("format") != format_version) members.fail("format");
    record.generation.epoch.ordinal = static_cast<std::uint32_t>(members.number("epoch_ordinal"));
    record.generation.epoch.random = members.parsed("epoch_random", parse_random);
    record.generation.number = members.number("number");
    record.generation.chain = members.parsed("chain", parse_digest);
    record.parent_chain = members.parsed("parent_chain", parse_digest);
    record.operation = members.parsed("operation", parse_operation);
    record.batch = members.text("batch");
    record.idempotency_key = members.text("idempotency_key");
    record.publication = members.parsed("publication", parse_digest);
    record.locations = members.parsed("locations", parse_digest);
    record.time = members.parsed("time", parse_time);
    for (const Json& manifest : members.list("manifests")) {
        const std::string* const text = manifest.find_string();
        const auto digest = parse_digest(text ? *text : "");
        if (!digest.ok()) return not_a_record("a manifest's digest");
        record.manifests.push_back(*digest);
    }
    for (const Json& partition : members.list("partitions")) {
        Members fields(partition);
        record.partitions.push_back({.table = fields.parsed("table", parse_table_id),
                                     .hour = fields.parsed("hour", model::parse_hour)});
        if (!fields.failure().empty()) return not_a_record("partition " + fields.failure());
    }
    for (const Json& table : members.list("tables")) {
        const std::string* const text = table.find_string();
        record.tables.push_back(TRY(parse_table_id(text ? *text : "").within("a table's id")));
    }
    if (!members.failure().empty()) return not_a_record(members.failure());
    return record;
}

}  // namespace

std::string format_record(const GenerationRecord& record) {
    Json manifests = Json::array();
    for (const Digest& manifest : record.manifests) manifests.push_back(format_digest(manifest));
    Json partitions = Json::array();
    for (const catalog::PartitionKey& key : record.partitions) {
        partitions.push_back(Json::object(
            {{"table", format_uuid(key.table.value)}, {"hour", model::format_hour(key.hour)}}));
    }
    Json tables = Json::array();
    for (const catalog::TableId& table : record.tables) tables.push_back(format_uuid(table.value));
    const Json json = Json::object({
        {"format", format_version},
        {"epoch_ordinal", std::uint64_t{record.generation.epoch.ordinal}},
        {"epoch_random", format_random(record.generation.epoch.random)},
        {"number", record.generation.number},
        {"chain", format_digest(record.generation.chain)},
        {"parent_chain", format_digest(record.parent_chain)},
        {"operation", catalog::to_text(record.operation)},
        {"batch", record.batch},
        {"idempotency_key", record.idempotency_key},
        {"publication", format_digest(record.publication)},
        {"locations", format_digest(record.locations)},
        {"manifests", manifests},
        {"time", format_time(record.time)},
        {"partitions", partitions},
        {"tables", tables},
        {"digest", format_digest(digest_record(record))},
    });
    return format_json(json, indent) + "\n";
}

Result<GenerationRecord> parse_record(std::string_view text) {
    const auto json = parse_json(text);
    if (!json.ok()) return not_a_record(json.error().message());
    auto record = read_members(*json);
    if (!record.ok()) return not_a_record(record.error().message());
    // One record has one text, so a byte that was changed anywhere is noticed.
    if (format_record(*record) != text) return not_a_record("its digest or its form is another");
    const auto& generation = record->generation;
    const Digest chain =
        catalog::next_chain(record->parent_chain, record->publication, record->locations);
    if (generation.chain != chain) return not_a_record("its chain does not follow its parent's");
    return record;
}

}  // namespace highwater::stage
