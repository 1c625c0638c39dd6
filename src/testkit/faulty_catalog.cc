#include "testkit/faulty_catalog.h"

namespace highwater::testkit {

Result<catalog::Generation> FaultyCatalog::head() {
    return fault_.around_read([&] { return inner_.head(); });
}

Result<catalog::View> FaultyCatalog::load_view(const catalog::ViewRequest& request) {
    return fault_.around_read([&] { return inner_.load_view(request); });
}

Result<catalog::Changes> FaultyCatalog::load_changes(std::uint64_t since) {
    return fault_.around_read([&] { return inner_.load_changes(since); });
}

Result<catalog::CommitOutcome> FaultyCatalog::commit(const catalog::Commit& commit) {
    return fault_.around([&] { return inner_.commit(commit); });
}

Result<std::optional<catalog::GenerationRecord>> FaultyCatalog::find(const By& by) {
    return fault_.around_read([&] { return inner_.find(by); });
}

Result<std::vector<catalog::GenerationRecord>> FaultyCatalog::load_log(std::uint64_t after,
                                                                       std::size_t limit) {
    return fault_.around_read([&] { return inner_.load_log(after, limit); });
}

Result<std::vector<catalog::KnownName>> FaultyCatalog::find_names(
    const catalog::TableId& table, const std::vector<std::string>& paths) {
    return fault_.around_read([&] { return inner_.find_names(table, paths); });
}

Result<catalog::Attempt> FaultyJournal::add_attempt(const catalog::Attempt& attempt) {
    return fault_.around([&] { return inner_.add_attempt(attempt); });
}

Result<std::vector<catalog::Attempt>> FaultyJournal::load_attempts(
    const std::optional<std::string>& key, std::size_t limit) {
    return fault_.around_read([&] { return inner_.load_attempts(key, limit); });
}

Result<void> FaultyJournal::put_intent(const catalog::Intent& intent) {
    return fault_.around([&] { return inner_.put_intent(intent); });
}

Result<std::vector<catalog::Intent>> FaultyJournal::load_intents(const catalog::TableId& table) {
    return fault_.around_read([&] { return inner_.load_intents(table); });
}

Result<void> FaultyJournal::remove_intent(const Uuid& id) {
    return fault_.around([&] { return inner_.remove_intent(id); });
}

}  // namespace highwater::testkit
