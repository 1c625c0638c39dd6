#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "catalog/catalog.h"
#include "catalog/commit_rules.h"
#include "catalog/journal.h"
#include "env/random.h"

namespace highwater::catalog {

/// A catalog and its journal that live as long as the object: the reference for every backend, and
/// for tests.
///
/// Cost: as the ports say; a view is pointers, never copies of partitions.
class MemoryCatalog final : public Catalog, public Journal {
public:
    /// An empty catalog in its first epoch.
    explicit MemoryCatalog(env::Random& random);

    Result<Generation> head() override;
    Result<View> load_view(const ViewRequest& request) override;
    Result<Changes> load_changes(std::uint64_t since) override;
    Result<CommitOutcome> commit(const Commit& commit) override;
    Result<std::optional<GenerationRecord>> find(const By& by) override;
    Result<std::vector<GenerationRecord>> load_log(std::uint64_t after, std::size_t limit) override;
    Result<std::vector<KnownName>> find_names(const TableId& table,
                                              const std::vector<std::string>& paths) override;

    Result<Attempt> add_attempt(const Attempt& attempt) override;
    Result<std::vector<Attempt>> load_attempts(const std::optional<std::string>& key,
                                               std::size_t limit) override;
    Result<void> put_intent(const Intent& intent) override;
    Result<std::vector<Intent>> load_intents(const TableId& table) override;
    Result<void> remove_intent(const Uuid& id) override;

    /// Moves a known name to another state, as retention does.
    ///
    /// Errors: not_found.
    Result<void> set_name_state(const TableId& table, const std::string& path,
                                KnownName::State state);

private:
    /// Every state that a table or partition had, the oldest first.
    using TableHistory = std::vector<Table>;
    using PartitionHistory = std::vector<std::shared_ptr<const Partition>>;

    Generation generation_at(std::uint64_t number) const REQUIRES_LOCK(mutex_);
    std::optional<KnownCommit> find_known(const std::map<std::string, std::uint64_t>& numbers,
                                          const std::string& text) const REQUIRES_LOCK(mutex_);
    CommitFacts gather(const Commit& commit) const REQUIRES_LOCK(mutex_);
    void apply(Step step) REQUIRES_LOCK(mutex_);
    std::vector<Table> tables_at(std::uint64_t number, bool with_dropped) const
        REQUIRES_LOCK(mutex_);
    void append_partitions(const TableId& table, const model::HourRange& hours,
                           std::uint64_t number,
                           std::vector<std::shared_ptr<const Partition>>& out) const
        REQUIRES_LOCK(mutex_);

    const Epoch epoch_;
    mutable Mutex mutex_;
    std::vector<GenerationRecord> log_ GUARDED_BY(mutex_);  // Number n is at n - 1.
    std::map<std::string, std::uint64_t> keys_ GUARDED_BY(mutex_);
    std::map<std::string, std::uint64_t> batches_ GUARDED_BY(mutex_);
    std::map<TableId, TableHistory> tables_ GUARDED_BY(mutex_);
    std::map<PartitionKey, PartitionHistory> partitions_ GUARDED_BY(mutex_);
    std::map<NameKey, NameRecord> names_ GUARDED_BY(mutex_);
    std::vector<Attempt> attempts_ GUARDED_BY(mutex_);  // Id n is at n - 1.
    std::map<std::string, std::uint64_t> attempts_of_key_ GUARDED_BY(mutex_);
    std::map<Uuid, Intent> intents_ GUARDED_BY(mutex_);
};

}  // namespace highwater::catalog
