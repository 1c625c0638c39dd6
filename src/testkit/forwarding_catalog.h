#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace highwater::testkit {

/// A Catalog that is the one it wraps, and counts the calls: for doubles that answer one call
/// differently, as an old copy or a damaged one would.
class ForwardingCatalog : public catalog::Catalog {
public:
    explicit ForwardingCatalog(catalog::Catalog& inner) : inner_(inner) {}

    Result<catalog::Generation> head() override { return counted().head(); }
    Result<catalog::View> load_view(const catalog::ViewRequest& request) override {
        return counted().load_view(request);
    }
    Result<catalog::Changes> load_changes(std::uint64_t since) override {
        return counted().load_changes(since);
    }
    Result<catalog::CommitOutcome> commit(const catalog::Commit& commit) override {
        return counted().commit(commit);
    }
    Result<std::optional<catalog::GenerationRecord>> find(const By& by) override {
        return counted().find(by);
    }
    Result<std::vector<catalog::GenerationRecord>> load_log(std::uint64_t after,
                                                            std::size_t limit) override {
        return counted().load_log(after, limit);
    }
    Result<std::vector<catalog::KnownName>> find_names(
        const catalog::TableId& table, const std::vector<std::string>& paths) override {
        return counted().find_names(table, paths);
    }

    /// Calls that went through to the wrapped catalog.
    int calls() const { return calls_; }

private:
    catalog::Catalog& counted() {
        ++calls_;
        return inner_;
    }

    catalog::Catalog& inner_;
    int calls_ = 0;
};

}  // namespace highwater::testkit
