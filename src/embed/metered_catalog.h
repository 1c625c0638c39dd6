#pragma once

#include <atomic>
#include <cstdint>

#include "catalog/catalog.h"

namespace highwater::embed {

/// A Catalog that counts its round trips and is otherwise the one it wraps.
class MeteredCatalog final : public catalog::Catalog {
public:
    explicit MeteredCatalog(catalog::Catalog& inner) : inner_(inner) {}

    std::uint64_t round_trips() const { return round_trips_; }

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

private:
    catalog::Catalog& counted() {
        ++round_trips_;
        return inner_;
    }

    catalog::Catalog& inner_;
    std::atomic<std::uint64_t> round_trips_ = 0;
};

}  // namespace highwater::embed
