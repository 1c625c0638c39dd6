#include "catalog/memory_catalog.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/assert.h"
#include "base/try.h"
#include "catalog/view_request.h"

namespace highwater::catalog {

namespace {

/// The state that `history` was in as of a generation, or nullptr when it had not begun.
template <typename History, typename Changed>
auto find_state(const History& history, std::uint64_t number, Changed changed) -> const
    typename History::value_type* {
    const auto after =
        std::upper_bound(history.begin(), history.end(), number,
                         [&](std::uint64_t at, const auto& state) { return at < changed(state); });
    return after == history.begin() ? nullptr : &*std::prev(after);
}

std::uint64_t changed_of(const Table& table) {
    return table.changed;
}

std::uint64_t changed_of(const std::shared_ptr<const Partition>& partition) {
    return partition->changed;
}

template <typename History>
auto find_state(const History& history, std::uint64_t number) {
    return find_state(history, number, [](const auto& state) { return changed_of(state); });
}

}  // namespace

MemoryCatalog::MemoryCatalog(env::Random& random) : epoch_{1, random.next()} {}

Generation MemoryCatalog::generation_at(std::uint64_t number) const {
    ASSERT(number <= log_.size());
    return number == 0 ? Generation{epoch_, 0, {}} : log_[number - 1].generation;
}

Result<Generation> MemoryCatalog::head() {
    const Lock lock(mutex_);
    return generation_at(log_.size());
}

std::vector<Table> MemoryCatalog::tables_at(std::uint64_t number, bool with_dropped) const {
    std::vector<Table> tables;
    for (const auto& [id, history] : tables_) {
        const Table* table = find_state(history, number);
        if (table && (with_dropped || !table->dropped)) tables.push_back(*table);
    }
    return tables;
}

void MemoryCatalog::append_partitions(const TableId& table, const model::HourRange& hours,
                                      std::uint64_t number,
                                      std::vector<std::shared_ptr<const Partition>>& out) const {
    if (hours.is_empty()) return;
    const auto end = partitions_.lower_bound({table, hours.to});
    for (auto at = partitions_.lower_bound({table, hours.from}); at != end; ++at) {
        const auto* partition = find_state(at->second, number);
        if (partition) out.push_back(*partition);
    }
}

Result<View> MemoryCatalog::load_view(const ViewRequest& request) {
    const Lock lock(mutex_);
    const std::uint64_t number = request.at.value_or(log_.size());
    if (number > log_.size()) return above_head(number, generation_at(log_.size()));
    View view{generation_at(number), tables_at(number, request.with_dropped), {}};
    for (const Scope& scope : request.scopes) {
        for (const model::HourRange& hours : hours_of(scope)) {
            append_partitions(scope.table, hours, number, view.partitions);
        }
    }
    put_in_key_order(view.partitions);
    return view;
}

Result<Changes> MemoryCatalog::load_changes(std::uint64_t since) {
    const Lock lock(mutex_);
    if (since > log_.size()) return above_head(since, generation_at(log_.size()));
    Changes changes{.from = generation_at(since),
                    .to = generation_at(log_.size()),
                    .trimmed = false,
                    .tables = {},
                    .partitions = {}};
    std::set<TableId> tables;
    std::map<PartitionKey, PartitionChange> partitions;
    for (auto number = since + 1; number <= log_.size(); ++number) {
        const GenerationRecord& record = log_[number - 1];
        tables.insert(record.tables.begin(), record.tables.end());
        for (const PartitionKey& key : record.partitions) {
            partitions.try_emplace(key, PartitionChange{key, number, number}).first->second.last =
                number;
        }
    }
    for (const TableId& id : tables) changes.tables.push_back(tables_.at(id).back());
    for (const auto& [key, change] : partitions) changes.partitions.push_back(change);
    return changes;
}

std::optional<KnownCommit> MemoryCatalog::find_known(
    const std::map<std::string, std::uint64_t>& numbers, const std::string& text) const {
    const auto found = numbers.find(text);
    if (found == numbers.end()) return std::nullopt;
    return KnownCommit{found->second, log_[found->second - 1].publication};
}

CommitFacts MemoryCatalog::gather(const Commit& commit) const {
    CommitFacts facts{.head = generation_at(log_.size()),
                      .head_time = log_.empty() ? Time::min() : log_.back().time,
                      .with_key = {},
                      .with_batch = {},
                      .tables = {},
                      .partitions = {},
                      .names = {}};
    facts.with_key = find_known(keys_, commit.idempotency_key);
    facts.with_batch = find_known(batches_, commit.batch);
    if (!commit.tables.empty()) {
        for (const auto& [id, history] : tables_) facts.tables.emplace(id, history.back());
    }
    for (const auto& basis : commit.basis.tables) {
        const auto found = tables_.find(basis.id);
        if (found != tables_.end()) facts.tables.emplace(basis.id, found->second.back());
    }
    for (const auto& basis : commit.basis.partitions) {
        const auto found = partitions_.find(basis.key);
        if (found == partitions_.end()) continue;
        const Partition& state = *found->second.back();
        facts.partitions.emplace(
            basis.key, PartitionState{state.root, state.incarnation, state.changed, state.retired});
    }
    for (const Partition& partition : commit.partitions) {
        for (const RegisteredObject& object : partition.objects) {
            const auto found = names_.find({partition.key.table, object.path});
            if (found != names_.end()) facts.names.insert(*found);
        }
    }
    return facts;
}

void MemoryCatalog::apply(Step step) {
    const std::uint64_t number = step.record.generation.number;
    for (Table& table : step.tables) tables_[table.id].push_back(std::move(table));
    for (Partition& partition : step.partitions) {
        const PartitionKey key = partition.key;
        partitions_[key].push_back(std::make_shared<const Partition>(std::move(partition)));
    }
    for (NameRecord& name : step.names) {
        names_.insert_or_assign(NameKey{name.table, name.name.path}, std::move(name));
    }
    keys_.emplace(step.record.idempotency_key, number);
    batches_.emplace(step.record.batch, number);
    log_.push_back(std::move(step.record));
}

Result<CommitOutcome> MemoryCatalog::commit(const Commit& commit) {
    TRY(verify_commit(commit));
    const Lock lock(mutex_);
    Decision decision = TRY(decide(commit, gather(commit)));
    if (auto* refusal = std::get_if<Refusal>(&decision)) {
        CommitOutcome outcome{refusal->kind, std::nullopt, refusal->what};
        if (refusal->number != 0) outcome.record = log_[refusal->number - 1];
        return outcome;
    }
    apply(std::move(std::get<Step>(decision)));
    return CommitOutcome{CommitOutcome::Kind::committed, log_.back(), ""};
}

Result<std::optional<GenerationRecord>> MemoryCatalog::find(const By& by) {
    const Lock lock(mutex_);
    std::uint64_t number = by.number;
    if (by.kind != By::Kind::number) {
        const auto& numbers = by.kind == By::Kind::key ? keys_ : batches_;
        const auto found = numbers.find(by.text);
        number = found == numbers.end() ? 0 : found->second;
    }
    if (number == 0 || number > log_.size()) return std::optional<GenerationRecord>();
    return std::optional(log_[number - 1]);
}

Result<std::vector<GenerationRecord>> MemoryCatalog::load_log(std::uint64_t after,
                                                              std::size_t limit) {
    const Lock lock(mutex_);
    const std::size_t first = std::min<std::uint64_t>(after, log_.size());
    const std::size_t count = std::min(limit, log_.size() - first);
    const auto from = log_.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector(from, from + static_cast<std::ptrdiff_t>(count));
}

Result<std::vector<KnownName>> MemoryCatalog::find_names(const TableId& table,
                                                         const std::vector<std::string>& paths) {
    const std::set<std::string> ordered(paths.begin(), paths.end());
    const Lock lock(mutex_);
    std::vector<KnownName> names;
    for (const std::string& path : ordered) {
        const auto found = names_.find({table, path});
        if (found != names_.end()) names.push_back(found->second.name);
    }
    return names;
}

Result<Attempt> MemoryCatalog::add_attempt(const Attempt& attempt) {
    const Lock lock(mutex_);
    Attempt stored = attempt;
    stored.id = attempts_.size() + 1;
    stored.number = ++attempts_of_key_[attempt.idempotency_key];
    attempts_.push_back(stored);
    return stored;
}

Result<std::vector<Attempt>> MemoryCatalog::load_attempts(const std::optional<std::string>& key,
                                                          std::size_t limit) {
    const Lock lock(mutex_);
    std::vector<Attempt> newest;
    for (auto at = attempts_.rbegin(); at != attempts_.rend() && newest.size() < limit; ++at) {
        if (!key || at->idempotency_key == *key) newest.push_back(*at);
    }
    return newest;
}

Result<void> MemoryCatalog::put_intent(const Intent& intent) {
    const Lock lock(mutex_);
    intents_.insert_or_assign(intent.id, intent);
    return {};
}

Result<std::vector<Intent>> MemoryCatalog::load_intents(const TableId& table) {
    const Lock lock(mutex_);
    std::vector<Intent> intents;
    for (const auto& [id, intent] : intents_) {
        if (intent.table == table) intents.push_back(intent);
    }
    return intents;
}

Result<void> MemoryCatalog::remove_intent(const Uuid& id) {
    const Lock lock(mutex_);
    intents_.erase(id);
    return {};
}

Result<void> MemoryCatalog::set_name_state(const TableId& table, const std::string& path,
                                           KnownName::State state) {
    const Lock lock(mutex_);
    const auto found = names_.find({table, path});
    if (found == names_.end()) return unknown_name(path);
    found->second.name.state = state;
    return {};
}

}  // namespace highwater::catalog
