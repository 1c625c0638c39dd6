#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog_backends.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"

namespace highwater::catalog {

using testkit::FailsWith;
using testkit::IsOk;
using testkit::make_partition;
using testkit::make_table;

constexpr model::Hour nine{496'017};
constexpr model::Hour ten = model::next(nine);
constexpr model::Hour eleven = model::next(ten);

/// An empty catalog, and short ways to fill it.
class CatalogTest : public ::testing::TestWithParam<CatalogBackend> {
protected:
    Commit make(const std::string& batch, std::vector<Table> tables,
                std::vector<Partition> partitions = {}) {
        auto commit = testkit::make_commit(catalog(), Operation::publish, batch, std::move(tables),
                                           std::move(partitions));
        EXPECT_THAT(commit, IsOk());
        return commit.ok() ? *std::move(commit) : Commit{};
    }

    CommitOutcome send(const Commit& commit) {
        auto outcome = catalog().commit(commit);
        EXPECT_THAT(outcome, IsOk());
        return outcome.ok() ? *std::move(outcome) : CommitOutcome{};
    }

    /// Commits, and gives back the record of the new generation.
    GenerationRecord put(const Commit& commit) {
        const CommitOutcome outcome = send(commit);
        EXPECT_EQ(outcome.kind, CommitOutcome::Kind::committed) << outcome.what;
        return outcome.record.value_or(GenerationRecord{});
    }
    GenerationRecord put(const std::string& batch, std::vector<Table> tables,
                         std::vector<Partition> partitions = {}) {
        return put(make(batch, std::move(tables), std::move(partitions)));
    }

    View view(const ViewRequest& request) {
        auto view = catalog().load_view(request);
        EXPECT_THAT(view, IsOk());
        return view.ok() ? *std::move(view) : View{};
    }

    /// The whole of `table`, as of a generation number or the head.
    std::vector<Partition> partitions(std::optional<std::uint64_t> at = std::nullopt) {
        std::vector<Partition> found;
        for (const auto& partition : view({{{table.id, {}}}, at, false}).partitions) {
            found.push_back(*partition);
        }
        return found;
    }

    Generation head() {
        const auto head = catalog().head();
        EXPECT_THAT(head, IsOk());
        return head.ok() ? *head : Generation{};
    }

    /// `partition` as it stands in the catalog after generation `number` put it there.
    static Partition as_of(Partition partition, std::uint64_t number) {
        partition.changed = number;
        return partition;
    }

    Catalog& catalog() { return world_->catalog(); }

    std::unique_ptr<CatalogWorld> world_ = GetParam().make_world(7);
    const Table table = make_table("sensors", "/data/sensors");
};

}  // namespace highwater::catalog
