#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "testkit/fault.h"

namespace highwater::testkit {

/// A Catalog that fails where its Fault says, and otherwise is the one it wraps. Every call counts
/// as one.
///
/// Lifetime: `inner` and `fault` outlive it.
class FaultyCatalog final : public catalog::Catalog {
public:
    FaultyCatalog(catalog::Catalog& inner, Fault& fault) : inner_(inner), fault_(fault) {}

    Result<catalog::Generation> head() override;
    Result<catalog::View> load_view(const catalog::ViewRequest& request) override;
    Result<catalog::Changes> load_changes(std::uint64_t since) override;
    Result<catalog::CommitOutcome> commit(const catalog::Commit& commit) override;
    Result<std::optional<catalog::GenerationRecord>> find(const By& by) override;
    Result<std::vector<catalog::GenerationRecord>> load_log(std::uint64_t after,
                                                            std::size_t limit) override;
    Result<std::vector<catalog::KnownName>> find_names(
        const catalog::TableId& table, const std::vector<std::string>& paths) override;

private:
    catalog::Catalog& inner_;
    Fault& fault_;
};

/// A Journal that fails where its Fault says, and otherwise is the one it wraps. Every call counts
/// as one.
///
/// Lifetime: `inner` and `fault` outlive it.
class FaultyJournal final : public catalog::Journal {
public:
    FaultyJournal(catalog::Journal& inner, Fault& fault) : inner_(inner), fault_(fault) {}

    Result<catalog::Attempt> add_attempt(const catalog::Attempt& attempt) override;
    Result<std::vector<catalog::Attempt>> load_attempts(const std::optional<std::string>& key,
                                                        std::size_t limit) override;
    Result<void> put_intent(const catalog::Intent& intent) override;
    Result<std::vector<catalog::Intent>> load_intents(const catalog::TableId& table) override;
    Result<void> remove_intent(const Uuid& id) override;

private:
    catalog::Journal& inner_;
    Fault& fault_;
};

}  // namespace highwater::testkit
