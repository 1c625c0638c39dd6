#include "catalog/sqlite_log.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/try.h"
#include "catalog/seals.h"
#include "catalog/sqlite_partitions.h"
#include "catalog/sqlite_tables.h"

namespace highwater::catalog {

namespace {

using Row = SqliteQuery::Row;
constexpr std::size_t digest_size = sizeof(Digest::bytes);

const std::string records =
    "SELECT number, epoch_ordinal, epoch_random, chain, parent_chain, operation, batch, "
    "idempotency_key, publication, locations, manifests, time_ns, digest FROM generations ";
const std::string records_with_key = records + "WHERE idempotency_key = ?";
const std::string records_with_batch = records + "WHERE batch = ?";
const std::string records_with_number = records + "WHERE number = ?";
const std::string records_after = records + "WHERE number > ? ORDER BY number LIMIT ?";

std::string name_of(std::uint64_t number) {
    return "generation " + std::to_string(number);
}

Error damaged(std::uint64_t number, const std::string& why) {
    return {Code::corrupt, "catalog: " + name_of(number) + " " + why};
}

/// A generation number as a parameter: one beyond SQLite's integers is beyond every head.
std::int64_t clamp(std::uint64_t number) {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    return std::cmp_less(number, max) ? static_cast<std::int64_t>(number) : max;
}

std::vector<Digest> split(BytesView bytes) {
    std::vector<Digest> digests(bytes.size() / digest_size);
    for (std::size_t i = 0; i < digests.size(); ++i) {
        std::ranges::copy(bytes.substr(i * digest_size, digest_size), digests[i].bytes.begin());
    }
    return digests;
}

Bytes join(const std::vector<Digest>& digests) {
    Bytes bytes;
    for (const Digest& digest : digests) {
        bytes.append(reinterpret_cast<const char*>(digest.bytes.data()), digest_size);
    }
    return bytes;
}

/// A record as its row says it, without what it touched, and what it must add up to.
struct RecordRow {
    GenerationRecord record;
    Digest seal;
};

Result<RecordRow> take_record(SqliteQuery& query) {
    RecordRow row;
    GenerationRecord& record = row.record;
    record.generation.number = query.take_uint64();
    record.generation.epoch.ordinal = query.take_uint32();
    record.generation.epoch.random = query.take_uint64();
    record.generation.chain = query.take_digest();
    record.parent_chain = query.take_digest();
    const auto operation = parse_operation(query.take_text());
    record.batch = query.take_text();
    record.idempotency_key = query.take_text();
    record.publication = query.take_digest();
    record.locations = query.take_digest();
    record.manifests = split(query.take_bytes());
    record.time = query.take_time();
    row.seal = query.take_digest();
    TRY(query.verify(name_of(record.generation.number)));
    if (!operation) return damaged(record.generation.number, "has an unknown operation");
    record.operation = *operation;
    return row;
}

Result<GenerationRecord> complete(SqliteConnection& connection, RecordRow row) {
    GenerationRecord& record = row.record;
    const std::uint64_t number = record.generation.number;
    record.partitions = TRY(load_touched_partitions(connection, number));
    record.tables = TRY(load_touched_tables(connection, number));
    if (row.seal != seal_of(record)) return damaged(number, "is not as it was committed");
    const Digest chain = next_chain(record.parent_chain, record.publication, record.locations);
    if (chain != record.generation.chain) return damaged(number, "breaks the chain");
    return std::move(row.record);
}

}  // namespace

Result<Generation> load_head(SqliteConnection& connection) {
    SqliteQuery query = TRY(connection.prepare(
        "SELECT c.epoch_ordinal, c.epoch_random, g.number, g.chain FROM catalog c LEFT JOIN "
        "(SELECT number, chain FROM generations ORDER BY number DESC LIMIT 1) g"));
    if (TRY(query.next()) == Row::end) return Error(Code::corrupt, "catalog: no epoch");
    Generation head;
    head.epoch.ordinal = query.take_uint32();
    head.epoch.random = query.take_uint64();
    head.number = query.take_optional(&SqliteQuery::take_uint64).value_or(0);
    head.chain = query.take_optional(&SqliteQuery::take_digest).value_or(Digest{});
    TRY(query.verify("the head"));
    return head;
}

Result<Generation> load_generation(SqliteConnection& connection, std::uint64_t number) {
    if (number == 0) return Generation{TRY(load_head(connection)).epoch, 0, {}};
    SqliteQuery query = TRY(connection.prepare(
        "SELECT epoch_ordinal, epoch_random, chain FROM generations WHERE number = ?"));
    query.bind(clamp(number));
    if (TRY(query.next()) == Row::end) return damaged(number, "is missing");
    Generation generation;
    generation.number = number;
    generation.epoch.ordinal = query.take_uint32();
    generation.epoch.random = query.take_uint64();
    generation.chain = query.take_digest();
    TRY(query.verify(name_of(number)));
    return generation;
}

Result<Time> load_time(SqliteConnection& connection, std::uint64_t number) {
    SqliteQuery query = TRY(connection.prepare("SELECT time_ns FROM generations WHERE number = ?"));
    query.bind(clamp(number));
    if (TRY(query.next()) == Row::end) return damaged(number, "is missing");
    const Time time = query.take_time();
    TRY(query.verify(name_of(number)));
    return time;
}

Result<std::optional<GenerationRecord>> find_record(SqliteConnection& connection,
                                                    const Catalog::By& by) {
    using Kind = Catalog::By::Kind;
    SqliteQuery query = TRY(connection.prepare(by.kind == Kind::key     ? records_with_key
                                               : by.kind == Kind::batch ? records_with_batch
                                                                        : records_with_number));
    by.kind == Kind::number ? query.bind(clamp(by.number)) : query.bind(by.text);
    if (TRY(query.next()) == Row::end) return std::optional<GenerationRecord>();
    return std::optional(TRY(complete(connection, TRY(take_record(query)))));
}

Result<std::vector<GenerationRecord>> load_records(SqliteConnection& connection,
                                                   std::uint64_t after, std::size_t limit) {
    std::vector<RecordRow> rows;
    {
        SqliteQuery query = TRY(connection.prepare(records_after));
        query.bind(clamp(after)).bind(clamp(limit));
        while (TRY(query.next()) == Row::found) rows.push_back(TRY(take_record(query)));
    }
    std::vector<GenerationRecord> log;
    if (rows.empty()) return log;
    Generation parent = TRY(load_generation(connection, after));
    for (RecordRow& row : rows) {
        log.push_back(TRY(complete(connection, std::move(row))));
        const GenerationRecord& record = log.back();
        if (record.generation.number != parent.number + 1) {
            return damaged(parent.number + 1, "is missing");
        }
        if (record.parent_chain != parent.chain) {
            return damaged(record.generation.number, "does not follow from the one before");
        }
        parent = record.generation;
    }
    return log;
}

Result<std::optional<KnownCommit>> find_known(SqliteConnection& connection, const Catalog::By& by) {
    ASSERT(by.kind != Catalog::By::Kind::number);
    SqliteQuery query = TRY(connection.prepare(
        by.kind == Catalog::By::Kind::key
            ? "SELECT number, publication FROM generations WHERE idempotency_key = ?"
            : "SELECT number, publication FROM generations WHERE batch = ?"));
    query.bind(by.text);
    if (TRY(query.next()) == Row::end) return std::optional<KnownCommit>();
    KnownCommit known;
    known.number = query.take_uint64();
    known.publication = query.take_digest();
    TRY(query.verify("the commit '" + by.text + "'"));
    return std::optional(known);
}

Result<void> insert_record(SqliteConnection& connection, const GenerationRecord& record) {
    SqliteQuery query = TRY(connection.prepare(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    query.bind(record.generation.number).bind(record.generation.epoch.ordinal);
    query.bind(record.generation.epoch.random).bind(record.generation.chain);
    query.bind(record.parent_chain).bind(to_text(record.operation)).bind(record.batch);
    query.bind(record.idempotency_key).bind(record.publication).bind(record.locations);
    query.bind_bytes(join(record.manifests)).bind(record.time).bind(seal_of(record));
    return query.run();
}

}  // namespace highwater::catalog
