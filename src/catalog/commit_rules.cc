#include "catalog/commit_rules.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"

namespace highwater::catalog {

namespace {

using Kind = CommitOutcome::Kind;
using MaybeRefusal = std::optional<Refusal>;

template <typename Map, typename Key>
const typename Map::mapped_type* find(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

std::string name_of(const TableId& id, const CommitFacts& facts) {
    const Table* table = find(facts.tables, id);
    return table ? "table '" + table->name + "'" : "table " + format_uuid(id.value);
}

std::string name_of(const PartitionKey& key, const CommitFacts& facts) {
    return "hour " + model::format_hour(key.hour) + " of " + name_of(key.table, facts);
}

std::string by_generation(std::uint64_t number) {
    return "by generation " + std::to_string(number);
}

/// Keeps the refusal that tells of the newest generation.
void keep_newest(MaybeRefusal& kept, Refusal refusal) {
    if (!kept || kept->number < refusal.number) kept = std::move(refusal);
}

MaybeRefusal find_repetition(const Commit& commit, const CommitFacts& facts) {
    const auto judge = [&](const KnownCommit& known, const std::string& what) {
        const bool is_same = known.publication == commit.publication;
        return Refusal{is_same ? Kind::repeated : Kind::reused, known.number,
                       what + " was committed " + by_generation(known.number) +
                           (is_same ? "" : " with another publication")};
    };
    if (facts.with_key) {
        return judge(*facts.with_key, "key '" + format_quoted(commit.idempotency_key) + "'");
    }
    if (facts.with_batch) {
        return judge(*facts.with_batch, "batch generation '" + format_quoted(commit.batch) + "'");
    }
    return std::nullopt;
}

const Basis::TableBasis* find_basis(const TableId& id, const Commit& commit) {
    const auto found = std::ranges::find(commit.basis.tables, id, &Basis::TableBasis::id);
    return found == commit.basis.tables.end() ? nullptr : &*found;
}

bool is_as_seen(const Table& table, const Basis::TableBasis& basis) {
    return table.incarnation == basis.incarnation &&
           table.current().version == basis.schema_version;
}

/// The newest generation that changed something which the commit names.
MaybeRefusal find_conflict(const Commit& commit, const CommitFacts& facts) {
    MaybeRefusal newest;
    for (const Table& table : commit.tables) {
        const Table* current = find(facts.tables, table.id);
        if (!current) continue;
        const auto* basis = find_basis(table.id, commit);
        if (basis && is_as_seen(*current, *basis)) continue;
        keep_newest(newest, {Kind::conflict, current->changed,
                             name_of(table.id, facts) + (basis ? " was changed " : " was made ") +
                                 by_generation(current->changed)});
    }
    std::set<PartitionKey> named;
    for (const Partition& partition : commit.partitions) named.insert(partition.key);
    for (const auto& basis : commit.basis.partitions) {
        const PartitionState* current = find(facts.partitions, basis.key);
        if (!current || current->changed == basis.changed || !named.contains(basis.key)) continue;
        keep_newest(newest, {Kind::conflict, current->changed,
                             name_of(basis.key, facts) + " was changed " +
                                 by_generation(current->changed)});
    }
    return newest;
}

bool has_other_bytes(const RegisteredObject& object, const KnownName& known) {
    if (object.size_bytes != known.size_bytes) return true;
    return object.sha256 && known.sha256 && *object.sha256 != *known.sha256;
}

/// A name that stands for other bytes, or is on its way out.
MaybeRefusal find_name_conflict(const Commit& commit, const CommitFacts& facts) {
    MaybeRefusal newest;
    for (const Partition& partition : commit.partitions) {
        for (const RegisteredObject& object : partition.objects) {
            const NameRecord* known = find(facts.names, NameKey{partition.key.table, object.path});
            if (!known) continue;
            const bool is_going = known->name.state == KnownName::State::deleting;
            if (!is_going && !has_other_bytes(object, known->name)) continue;
            keep_newest(newest, {Kind::conflict, known->registered,
                                 "object '" + format_quoted(object.path) + "' of " +
                                     name_of(partition.key.table, facts) +
                                     (is_going ? " is being deleted"
                                               : " was registered with other bytes " +
                                                     by_generation(known->registered))});
        }
    }
    return newest;
}

std::string moved_table(const Table& current, const Basis::TableBasis& basis) {
    const auto text = [](auto number) { return std::to_string(number); };
    const std::string name = "table '" + current.name + "'";
    if (current.incarnation != basis.incarnation) {
        return name + " is at incarnation " + text(current.incarnation) + ", not " +
               text(basis.incarnation);
    }
    return name + " is at schema version " + text(current.current().version) + ", not " +
           text(basis.schema_version);
}

MaybeRefusal find_moved_table(const Commit& commit, const CommitFacts& facts) {
    std::set<TableId> named;
    for (const Table& table : commit.tables) named.insert(table.id);
    for (const auto& basis : commit.basis.tables) {
        const Table* current = find(facts.tables, basis.id);
        if (!current) return Refusal{Kind::moved, 0, name_of(basis.id, facts) + " is not there"};
        if (!is_as_seen(*current, basis)) {
            return Refusal{Kind::moved, 0, moved_table(*current, basis)};
        }
        if (current->dropped && !named.contains(basis.id)) {
            return Refusal{Kind::moved, 0, name_of(basis.id, facts) + " was dropped"};
        }
    }
    return std::nullopt;
}

MaybeRefusal find_moved_partition(const Commit& commit, const CommitFacts& facts) {
    for (const auto& basis : commit.basis.partitions) {
        const PartitionState* current = find(facts.partitions, basis.key);
        const std::uint64_t changed = current ? current->changed : 0;
        if (changed != basis.changed) {
            return Refusal{Kind::moved, 0,
                           name_of(basis.key, facts) + " was last changed " +
                               by_generation(changed) + ", not " + by_generation(basis.changed)};
        }
        if (!current) continue;
        if (current->root != basis.root) {
            return Refusal{Kind::moved, 0,
                           name_of(basis.key, facts) + " is at '" + format_quoted(current->root) +
                               "', not at '" + format_quoted(basis.root) + "'"};
        }
        if (current->incarnation != basis.incarnation) {
            return Refusal{Kind::moved, 0,
                           name_of(basis.key, facts) + " is at incarnation " +
                               std::to_string(current->incarnation) + ", not " +
                               std::to_string(basis.incarnation)};
        }
    }
    return std::nullopt;
}

/// A table name or a place that another table has taken.
MaybeRefusal find_taken_place(const Commit& commit, const CommitFacts& facts) {
    std::set<TableId> named;
    for (const Table& table : commit.tables) named.insert(table.id);
    for (const Table& table : commit.tables) {
        if (table.dropped) continue;
        for (const auto& [id, other] : facts.tables) {
            if (other.dropped || named.contains(id)) continue;
            if (other.name == table.name) {
                return Refusal{Kind::moved, 0, "there is a table '" + table.name + "' already"};
            }
            if (!is_overlapping(other.location, table.location)) continue;
            return Refusal{Kind::moved, 0,
                           "location '" + format_quoted(table.location) +
                               "' overlaps that of table '" + other.name + "'"};
        }
    }
    return std::nullopt;
}

MaybeRefusal find_moved(const Commit& commit, const CommitFacts& facts) {
    if (MaybeRefusal table = find_moved_table(commit, facts)) return table;
    if (MaybeRefusal partition = find_moved_partition(commit, facts)) return partition;
    return find_taken_place(commit, facts);
}

Error does_not_follow(const std::string& what) {
    return {Code::invalid_argument, what};
}

Result<void> verify_history(const Table& table, const Table& before) {
    const auto is_same = [](const SchemaVersion& left, const SchemaVersion& right) {
        return left.version == right.version && left.schema == right.schema;
    };
    const bool is_longer = table.schemas.size() >= before.schemas.size();
    if (!is_longer ||
        !std::equal(before.schemas.begin(), before.schemas.end(), table.schemas.begin(), is_same)) {
        return does_not_follow("table '" + table.name + "': older schema versions never change");
    }
    return {};
}

Result<void> verify_table_step(const Table& table, const Table& before) {
    if (table.name != before.name || table.pattern != before.pattern) {
        return does_not_follow("table '" + before.name + "': name and path pattern never change");
    }
    TRY(verify_history(table, before));
    const bool moves = table.location != before.location || table.dropped != before.dropped;
    if (table.incarnation < before.incarnation ||
        (moves && table.incarnation == before.incarnation)) {
        return does_not_follow("table '" + table.name +
                               "': a new location, a drop and a return raise the incarnation");
    }
    if (table.incarnation == before.incarnation && table.schemas.size() == before.schemas.size()) {
        return does_not_follow("table '" + table.name + "' is named, but nothing of it changes");
    }
    return {};
}

Result<void> verify_partition_step(const Partition& partition, const PartitionState& before,
                                   const CommitFacts& facts) {
    const bool moves = partition.root != before.root || (before.retired && !partition.retired);
    if (partition.incarnation > before.incarnation) return {};
    if (partition.incarnation == before.incarnation && !moves) return {};
    return does_not_follow(name_of(partition.key, facts) +
                           ": another root and a return after retirement raise the incarnation");
}

/// Every object is written against a schema version that its table has.
Result<void> verify_versions(const Partition& partition, const Commit& commit,
                             const CommitFacts& facts) {
    const auto named = std::ranges::find(commit.tables, partition.key.table, &Table::id);
    const Table* table =
        named == commit.tables.end() ? find(facts.tables, partition.key.table) : &*named;
    ASSERT(table);
    for (const RegisteredObject& object : partition.objects) {
        if (table->find_schema(object.schema_version)) continue;
        return does_not_follow("object '" + format_quoted(object.path) + "' of table '" +
                               table->name + "' has the unknown schema version " +
                               std::to_string(object.schema_version));
    }
    return {};
}

Table next_state(const Table& table, const Table* before, std::uint64_t number) {
    Table next = table;
    next.created = before ? before->created : number;
    next.changed = number;
    const std::size_t kept = before ? before->schemas.size() : 0;
    for (std::size_t i = 0; i < next.schemas.size(); ++i) {
        next.schemas[i].since = i < kept ? before->schemas[i].since : number;
    }
    return next;
}

NameRecord next_state(const RegisteredObject& object, const Partition& partition,
                      const CommitFacts& facts, std::uint64_t number) {
    const NameRecord* known = find(facts.names, NameKey{partition.key.table, object.path});
    std::optional<Digest> sha256 = object.sha256;
    if (!sha256 && known) sha256 = known->name.sha256;
    return {partition.key.table,
            {object.path, partition.root, object.size_bytes, sha256, KnownName::State::live},
            number};
}

GenerationRecord make_record(const Commit& commit, const CommitFacts& facts) {
    GenerationRecord record{
        .generation = {facts.head.epoch, facts.head.number + 1,
                       next_chain(facts.head.chain, commit.publication, commit.locations)},
        .parent_chain = facts.head.chain,
        .operation = commit.operation,
        .batch = commit.batch,
        .idempotency_key = commit.idempotency_key,
        .publication = commit.publication,
        .locations = commit.locations,
        .manifests = commit.manifests,
        .time = std::max(commit.time, facts.head_time),
        .partitions = {},
        .tables = {}};
    for (const Partition& partition : commit.partitions) {
        record.partitions.push_back(partition.key);
    }
    for (const Table& table : commit.tables) record.tables.push_back(table.id);
    std::ranges::sort(record.partitions);
    std::ranges::sort(record.tables);
    return record;
}

Result<Step> make_step(const Commit& commit, const CommitFacts& facts) {
    Step step{.record = make_record(commit, facts), .tables = {}, .partitions = {}, .names = {}};
    const std::uint64_t number = step.record.generation.number;
    for (const Table& table : commit.tables) {
        const Table* before = find(facts.tables, table.id);
        if (before) TRY(verify_table_step(table, *before));
        step.tables.push_back(next_state(table, before, number));
    }
    for (const Partition& partition : commit.partitions) {
        const PartitionState* before = find(facts.partitions, partition.key);
        if (before) TRY(verify_partition_step(partition, *before, facts));
        TRY(verify_versions(partition, commit, facts));
        step.partitions.push_back(partition);
        step.partitions.back().changed = number;
        for (const RegisteredObject& object : partition.objects) {
            step.names.push_back(next_state(object, partition, facts, number));
        }
    }
    return step;
}

}  // namespace

Result<Decision> decide(const Commit& commit, const CommitFacts& facts) {
    if (MaybeRefusal repetition = find_repetition(commit, facts)) return Decision(*repetition);
    if (commit.basis.epoch != facts.head.epoch) {
        return Decision(Refusal{Kind::moved, 0,
                                "the catalog is at epoch " + format_epoch(facts.head.epoch) +
                                    ", not " + format_epoch(commit.basis.epoch)});
    }
    if (MaybeRefusal conflict = find_conflict(commit, facts)) return Decision(*conflict);
    if (MaybeRefusal moved = find_moved(commit, facts)) return Decision(*moved);
    if (MaybeRefusal conflict = find_name_conflict(commit, facts)) return Decision(*conflict);
    return Decision(TRY(make_step(commit, facts)));
}

}  // namespace highwater::catalog
