#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "catalog/catalog.h"

namespace highwater::catalog {

/// Checks what a commit must keep by itself, whatever the catalog holds.
///
/// Errors: invalid_argument, naming what breaks which rule.
Result<void> verify_commit(const Commit& commit);

/// A commit that the catalog has, as far as a repetition is told by it.
struct KnownCommit {
    std::uint64_t number = 0;
    Digest publication;
};

/// The newest state of a partition, as far as a basis is compared with it.
struct PartitionState {
    std::string root;
    std::uint64_t incarnation = 0;
    std::uint64_t changed = 0;
    bool retired = false;
};

/// A known name and the number of the generation that registered it last.
struct NameRecord {
    TableId table;
    KnownName name;
    std::uint64_t registered = 0;

    friend bool operator==(const NameRecord&, const NameRecord&) = default;
};

/// A path of a table.
struct NameKey {
    TableId table;
    std::string path;

    friend auto operator<=>(const NameKey&, const NameKey&) = default;
    friend bool operator==(const NameKey&, const NameKey&) = default;
};

/// What a backend reads, inside the transaction, for `decide`. What is absent is not there.
struct CommitFacts {
    Generation head;
    Time head_time;  // Of the head's record.
    std::optional<KnownCommit> with_key;
    std::optional<KnownCommit> with_batch;
    std::map<TableId, Table> tables;  // Those of the basis; all, when the commit names a table.
    std::map<PartitionKey, PartitionState> partitions;  // Those of the basis.
    std::map<NameKey, NameRecord> names;                // Of every object that the commit names.
};

/// A refusal, or a repetition; `number` is the generation to be told of, 0 for none.
struct Refusal {
    CommitOutcome::Kind kind = CommitOutcome::Kind::moved;
    std::uint64_t number = 0;
    std::string what;
};

/// What a backend writes, all of it or nothing.
struct Step {
    GenerationRecord record;
    std::vector<Table> tables;
    std::vector<Partition> partitions;
    std::vector<NameRecord> names;
};

using Decision = std::variant<Refusal, Step>;

/// Says what becomes of `commit` in a catalog of which `facts` are true. Pure: it is all that a
/// backend has to decide.
///
/// Requires: verify_commit(commit) passed.
/// Errors: invalid_argument  the basis holds, but the new state does not follow from the old one.
Result<Decision> decide(const Commit& commit, const CommitFacts& facts);

}  // namespace highwater::catalog
