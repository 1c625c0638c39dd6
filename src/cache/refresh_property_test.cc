// Goal: whatever was published, corrected, moved or dropped, and whatever part of it was refreshed
// in whatever order, each entry is true at every generation of its interval. Method: random
// histories in a catalog that keeps them all, and a naive look at it for every claim.

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <array>

#include "cache/refresh.h"
#include "cache/stored_change.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

constexpr std::int64_t hour_first = 500'000 * 1;
constexpr std::int64_t hour_count = 6;

/// Some of the hours lie in other chunks than the rest.
std::int64_t hour_at(std::int64_t index) {
    return hour_first + index * 100;
}

class World {
public:
    World() : tables_{lake_.create_table("first"), lake_.create_table("second")} {}

    void change() {
        const catalog::TableId table = tables_.at(*rc::gen::inRange<std::size_t>(0, 2));
        if (lake_.table(table).dropped) return;
        const std::int64_t hour = hour_at(*rc::gen::inRange<std::int64_t>(0, hour_count));
        const auto held = lake_.find_partition(table, hour);
        const bool has_objects = held && !held->objects.empty();
        switch (*rc::gen::inRange(0, 12)) {
            case 0: lake_.declare_empty(table, hour, "nothing was sent"); break;
            case 1:
                if (held && !held->retired) lake_.unpublish(table, hour);
                break;
            case 2:
                if (has_objects) lake_.relocate_hour(table, hour, "/moved/" + unique());
                break;
            case 3: lake_.relocate_table(table, "/moved/" + unique()); break;
            case 4: lake_.add_column(table, "c" + unique()); break;
            case 5:
                if (*rc::gen::inRange(0, 8) == 0) lake_.drop_table(table);
                break;
            case 6:
            case 7:
                if (has_objects) lake_.correct(table, hour);
                break;
            default: lake_.publish(table, hour, 1); break;
        }
    }

    RefreshRequest any_request() {
        RefreshRequest request;
        request.reload = *rc::gen::inRange(0, 6) == 0;
        if (*rc::gen::inRange(0, 4) == 0) return request;
        request.kind = RefreshRequest::Kind::prefixes;
        for (const catalog::TableId& table : tables_) {
            if (*rc::gen::arbitrary<bool>()) continue;
            const auto from = *rc::gen::inRange<std::int64_t>(0, hour_count);
            const auto to = *rc::gen::inRange<std::int64_t>(from, hour_count + 1);
            catalog::Scope scope{table, {}};
            if (from != to) scope.hours = {{{hour_at(from)}, {hour_at(to)}}};
            request.scopes.push_back(scope);
        }
        return request;
    }

    void refresh(const RefreshRequest& request) {
        const Sources sources{lake_.catalog, lake_.store, lake_.clock};
        const auto refreshed = cache::refresh(sources, snapshot_, request);
        RC_ASSERT(refreshed.ok());
        const auto before = snapshot_;
        snapshot_ = refreshed->snapshot;
        RC_ASSERT(refreshed->report.ledger.catalog_round_trips <= 3u);
        RC_ASSERT(snapshot_->seen() == lake_.head());
        check_scope(request, !before);
        check_entries(*snapshot_);
        check_stored(before);
    }

    catalog::Generation head() { return lake_.head(); }

private:
    std::string unique() { return std::to_string(lake_.head().number + 1); }

    static bool covers(const RefreshRequest& request, const catalog::PartitionKey& key) {
        if (request.kind == RefreshRequest::Kind::full) return true;
        for (const catalog::Scope& scope : request.scopes) {
            if (scope.table != key.table) continue;
            if (scope.hours.empty() || scope.hours.front().contains(key.hour)) return true;
        }
        return false;
    }

    /// What was asked for is valid at what was seen.
    void check_scope(const RefreshRequest& request, bool was_cold) const {
        for (const catalog::PartitionKey& key : keys()) {
            if (!was_cold && !covers(request, key)) continue;
            RC_ASSERT(snapshot_->find_hour(key).valid.to == snapshot_->seen().number);
        }
        if (!was_cold && request.kind != RefreshRequest::Kind::full) return;
        RC_ASSERT(snapshot_->completed() == snapshot_->seen().number);
    }

    /// The state of an hour as the catalog tells it.
    std::shared_ptr<const catalog::Partition> truth(const catalog::PartitionKey& key,
                                                    std::uint64_t number) {
        const model::HourRange hours{key.hour, model::next(key.hour)};
        const auto view = lake_.catalog.load_view({{{key.table, {hours}}}, number, true});
        RC_ASSERT(view.ok());
        return view->partitions.empty() ? nullptr : view->partitions.front();
    }

    void check_entries(const Snapshot& snapshot) {
        std::uint64_t completed = snapshot.seen().number;
        for (const catalog::PartitionKey& key : keys()) {
            if (snapshot.find_table(key.table)->table->dropped) continue;
            const auto found = snapshot.find(key);
            RC_ASSERT(std::holds_alternative<Entry>(found));
            const auto& entry = std::get<Entry>(found);
            const HeldHour held = snapshot.find_hour(key);
            RC_ASSERT(held.state == entry.state);
            RC_ASSERT(held.valid == entry.valid);
            RC_ASSERT(!entry.valid.is_empty());
            RC_ASSERT(snapshot.find_generation(entry.valid.to).has_value());
            completed = std::min(completed, entry.valid.to);
            for (auto number = entry.valid.from; number <= entry.valid.to; ++number) {
                check_entry(key, entry, truth(key, number));
            }
            check_end(snapshot, key, entry);
        }
        RC_ASSERT(snapshot.completed(Layer::registrations) == completed);
        RC_ASSERT(snapshot.completed(Layer::listings) == completed);
    }

    static void check_entry(const catalog::PartitionKey&, const Entry& entry,
                            const std::shared_ptr<const catalog::Partition>& partition) {
        RC_ASSERT((partition != nullptr) == (entry.state != Entry::State::never_published));
        RC_ASSERT((partition && partition->retired) == (entry.state == Entry::State::retired));
        RC_ASSERT((partition != nullptr) == (entry.partition != nullptr));
        if (partition) RC_ASSERT(*partition == *entry.partition);
        RC_ASSERT(entry.listing.has_value() == (entry.state == Entry::State::published));
    }

    /// An interval that ends early ends just before a change, of the hour or of its table.
    void check_end(const Snapshot& snapshot, const catalog::PartitionKey& key, const Entry& entry) {
        if (entry.valid.to == snapshot.seen().number) return;
        const auto changes = lake_.catalog.load_changes(entry.valid.to);
        RC_ASSERT(changes.ok());
        for (const auto& table : changes->tables) {
            if (table.id == key.table) return;
        }
        for (const auto& change : changes->partitions) {
            if (change.key == key) RC_ASSERT(change.first == entry.valid.to + 1);
            if (change.key == key) return;
        }
        RC_FAIL("an entry ends without a change");
    }

    /// What is stored of a snapshot gives the snapshot again.
    void check_stored(const std::shared_ptr<const Snapshot>& before) {
        for (const auto& base : {before, std::shared_ptr<const Snapshot>()}) {
            if (base && !is_successor(*base, *snapshot_)) continue;
            const Bytes bytes = encode_change(base.get(), *snapshot_);
            const auto decoded = decode_change(base, bytes);
            RC_ASSERT(decoded.ok());
            RC_ASSERT((*decoded)->seen() == snapshot_->seen());
            RC_ASSERT((*decoded)->as_of() == snapshot_->as_of());
            for (const catalog::PartitionKey& key : keys()) {
                RC_ASSERT(*(*decoded)->find_table(key.table)->table ==
                          *snapshot_->find_table(key.table)->table);
                RC_ASSERT((*decoded)->find_hour(key) == snapshot_->find_hour(key));
            }
            check_entries(**decoded);
            // Nothing differs any more, so that nothing but the heading is left to say.
            RC_ASSERT(encode_change(decoded->get(), *snapshot_).size() <=
                      200u + 40u * snapshot_->parts().chains.size() + 120u);
        }
    }

    std::vector<catalog::PartitionKey> keys() const {
        std::vector<catalog::PartitionKey> keys;
        for (const catalog::TableId& table : tables_) {
            for (std::int64_t i = 0; i < hour_count; ++i) keys.push_back({table, {hour_at(i)}});
        }
        return keys;
    }

    testkit::Lake lake_;
    std::array<catalog::TableId, 2> tables_;
    std::shared_ptr<const Snapshot> snapshot_;
};

TEST(RefreshPropertyTest, EveryEntryIsTrueAtEveryGenerationOfItsInterval) {
    EXPECT_TRUE(rc::check([] {
        World world;
        const int rounds = *rc::gen::inRange(1, 6);
        for (int round = 0; round < rounds; ++round) {
            const int changes = *rc::gen::inRange(0, 6);
            for (int i = 0; i < changes; ++i) world.change();
            world.refresh(world.any_request());
        }
    }));
}

}  // namespace
}  // namespace highwater::cache
