#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "catalog/generation.h"
#include "catalog/partition.h"
#include "catalog/table.h"

namespace highwater::catalog {

/// What a generation did. Every generation says so.
enum class Operation : std::uint8_t {
    create_table,
    adopt_table,
    add_column,
    publish,  // at least one hour that was not published before, none restated
    correct,  // at least one hour restated
    relocate,
    revert,
    compact,
    unpublish,
    drop_table,
};

std::string_view to_text(Operation operation);
std::optional<Operation> parse_operation(std::string_view text);

/// Which partitions of one table. No ranges: every hour.
struct Scope {
    TableId table;
    std::vector<model::HourRange> hours;
};

/// One consistent reading of the catalog.
struct View {
    Generation generation;
    std::vector<Table> tables;                                 // In id order.
    std::vector<std::shared_ptr<const Partition>> partitions;  // In key order; retired ones too.
};

struct ViewRequest {
    std::vector<Scope> scopes;        // Partitions to load; none: tables only.
    std::optional<std::uint64_t> at;  // A generation number; the head when absent.
    bool with_dropped = false;        // Dropped tables too.
};

/// What happened to one partition in (from, to].
struct PartitionChange {
    PartitionKey key;
    std::uint64_t first = 0;  // The first and the last generation number that changed it.
    std::uint64_t last = 0;

    friend bool operator==(const PartitionChange&, const PartitionChange&) = default;
};

struct Changes {
    Generation from;
    Generation to;
    bool trimmed = false;       // History before some point is gone: refresh in full.
    std::vector<Table> tables;  // Created or changed tables, as of `to`; dropped ones too.
    std::vector<PartitionChange> partitions;  // In key order.
};

/// What the committer saw when it checked, to be checked again inside the transaction.
///
/// It holds every partition that the commit names, with its table (unless the same commit makes the
/// table), and every table that the commit names and does not make. What else it holds is checked
/// as well.
struct Basis {
    struct TableBasis {
        TableId id;
        std::uint64_t incarnation = 0;
        std::uint32_t schema_version = 0;

        friend bool operator==(const TableBasis&, const TableBasis&) = default;
    };
    struct PartitionBasis {
        PartitionKey key;
        std::string root;
        std::uint64_t incarnation = 0;
        std::uint64_t changed = 0;  // 0: was never published.

        friend bool operator==(const PartitionBasis&, const PartitionBasis&) = default;
    };

    Epoch epoch;
    std::vector<TableBasis> tables;
    std::vector<PartitionBasis> partitions;

    friend bool operator==(const Basis&, const Basis&) = default;
};

/// One step of the line: all of it becomes visible, or none.
///
/// Rules: batch and key pass verify_batch; something is named, nothing twice; a table's name and
/// pattern never change, its schemas only grow, a new location, a drop or a return raises its
/// incarnation, and one that is named changes; another root, or a return after retirement, raises a
/// partition's incarnation; a partition has objects (in path order) or is declared empty with a
/// reason, or is retired and has neither; no object is named twice; each is of a schema version
/// that its table has; inventories and locations are the digests of what is here.
struct Commit {
    Operation operation = Operation::publish;
    std::string batch;            // Unique in the catalog.
    std::string idempotency_key;  // Unique in the catalog; the batch when the caller has none.
    Digest publication;           // Digest of what was submitted.
    Digest locations;             // locations_of(...) of what the commit names.
    Basis basis;
    std::vector<Table> tables;  // The whole new state; `created`/`changed`/`since` are assigned.
    std::vector<Partition> partitions;  // The whole new state; `changed` is assigned.
    std::vector<Digest> manifests;      // Digests of the accepted manifests, for the record.
    Time time;                          // Wall clock of the committer.
};

/// Digest over the roots and incarnations that a commit names, in key order.
Digest locations_of(const std::vector<Table>& tables, const std::vector<Partition>& partitions);

/// What is kept of each generation.
struct GenerationRecord {
    Generation generation;
    Digest parent_chain;
    Operation operation = Operation::publish;
    std::string batch;
    std::string idempotency_key;
    Digest publication;
    Digest locations;
    std::vector<Digest> manifests;
    Time time;                             // max(the committer's clock, the parent's time)
    std::vector<PartitionKey> partitions;  // Touched, in order.
    std::vector<TableId> tables;           // Touched themselves, in order.

    friend bool operator==(const GenerationRecord&, const GenerationRecord&) = default;
};

/// How a commit ended, when the catalog could say so.
struct CommitOutcome {
    enum class Kind : std::uint8_t {
        committed,  // `record` is the new generation.
        repeated,   // Key or batch and publication were committed before: `record` is that one.
        conflict,   // Another commit came first: `record` is (the newest of) the winner(s).
        reused,     // The key or batch belongs to another publication: `record` is that one.
        moved,      // Epoch, table, root, incarnation or schema is no longer the basis', or
                    // another table has the name or overlaps the location: see `what`.
    };

    Kind kind = Kind::committed;
    std::optional<GenerationRecord> record;  // Absent only for `moved`.
    std::string what;                        // A sentence for people.
};

/// A name that some generation registered, with the bytes it stands for, for ever. The root is that
/// of the newest registration; a digest is there as soon as one registration had it.
struct KnownName {
    enum class State : std::uint8_t { live, tombstoned, deleting, deleted };

    std::string path;
    std::string root;
    std::uint64_t size_bytes = 0;
    std::optional<Digest> sha256;
    State state = State::live;

    friend bool operator==(const KnownName&, const KnownName&) = default;
};

/// The one place where visibility is decided: a line of generations that only grows, for all tables
/// together.
///
/// A backend is right when it passes tests/conformance/catalog_test.cc.
///
/// Thread-safety: every method, from any thread, and from other processes on the same backend.
/// Errors of every method: unavailable (busy or out of reach: nothing changed, try again), corrupt.
class Catalog {
public:
    virtual ~Catalog() = default;

    /// The newest generation. Cost: one round trip, O(1): this is the freshness probe.
    virtual Result<Generation> head() = 0;

    /// Tables and partitions as of one generation, from one consistent reading.
    ///
    /// Errors: not_found  `at` is above the head, or its history is gone.
    /// Cost: one round trip; O(what is returned).
    virtual Result<View> load_view(const ViewRequest& request) = 0;

    /// What changed after generation number `since` up to the head.
    ///
    /// Errors: not_found  `since` is above the head.
    /// Cost: one round trip; O(changes).
    virtual Result<Changes> load_changes(std::uint64_t since) = 0;

    /// Appends a generation, if the world is still as `commit.basis` says and key and batch are
    /// free.
    ///
    /// Two commits conflict iff they name a partition or table in common (`conflict`), or the same
    /// key or batch (`reused`). All refusals are values and change nothing. Judged in this order:
    /// repeated or reused, moved for another epoch, conflict, moved, conflict over a name.
    /// Names of `partitions` become known names; tombstoned and deleted ones live again; `deleting`
    /// ones and names with other bytes (another size; another digest, where both are known) are
    /// `conflict`s with the generation that registered them.
    /// Errors: invalid_argument (a commit that breaks its own rules), exhausted (no space: nothing
    ///         changed), outcome_unknown (`find` by key tells; the same commit may be sent again).
    /// Cost: one durable transaction.
    virtual Result<CommitOutcome> commit(const Commit& commit) = 0;

    /// By what a generation may be found.
    struct By {
        enum class Kind : std::uint8_t { key, batch, number } kind = Kind::key;
        std::string text;          // key, batch
        std::uint64_t number = 0;  // number
    };
    virtual Result<std::optional<GenerationRecord>> find(const By& by) = 0;

    /// Records with numbers in (after, ...], ascending, at most `limit`.
    virtual Result<std::vector<GenerationRecord>> load_log(std::uint64_t after,
                                                           std::size_t limit) = 0;

    /// Those of `paths` that are known names of `table`, in path order.
    virtual Result<std::vector<KnownName>> find_names(const TableId& table,
                                                      const std::vector<std::string>& paths) = 0;
};

}  // namespace highwater::catalog
