// For any history of stores and manifests the gate accepts exactly when an oracle does that knows
// nothing of steps, merges, identities and kept objects: it compares sets and whole files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "publish/gate.h"
#include "testkit/publish_world.h"

namespace highwater::publish {
namespace {

using catalog::DigestPolicy;
using manifest::Manifest;
using manifest::ObjectClaim;
using testkit::PublishWorld;

constexpr model::Hour nine = PublishWorld::nine;
const std::string root = "/lake/logs";
constexpr int hours = 2;
constexpr int names = 3;

/// What a file may be. Different ones may have the same size or the same rows.
struct Content {
    model::Hour hour;
    std::size_t rows = 1;
    double value = 0;

    Bytes bytes() const { return PublishWorld::make_file(hour, rows, value); }
    friend bool operator==(const Content&, const Content&) = default;
};

model::Hour any_hour() {
    return {nine.since_epoch + *rc::gen::inRange(0, hours)};
}
std::string any_name() {
    return "part-" + std::to_string(*rc::gen::inRange(0, names));
}
/// Mostly the content that the name stands for by convention, so that publications succeed at
/// times.
Content any_content(model::Hour hour, const std::string& name) {
    const auto rows = static_cast<std::size_t>(name.back() - '0') + 1;
    switch (*rc::gen::inRange(0, 12)) {
        case 0: return {hour, rows, 7};
        case 1: return {hour, rows + 1, 0};
        case 2: return {{hour.since_epoch + 1}, rows, 0};
        default: return {hour, rows, 0};
    }
}

struct Attempted {
    Manifest manifest;
    Options options;
    bool has_base = false;
    bool has_old_base = false;
};

/// What a registered name stands for: bytes, when they were ever digested, else a size.
struct Known {
    std::size_t size = 0;
    std::optional<Content> verified;
};

/// The world as the oracle sees it.
struct Model {
    std::map<std::string, Content> store;  // By path.
    std::map<std::string, Known> known;    // Registered at any time.
    std::set<model::Hour> published;

    bool accepts(const Attempted& attempted) const {
        std::set<std::string> claimed;
        for (const auto& partition : attempted.manifest.partitions) {
            const bool is_restated = published.contains(partition.hour);
            if (is_restated && (!attempted.has_base || attempted.has_old_base)) return false;
            if (partition.objects.empty() != partition.declared_empty.has_value()) return false;
            for (const ObjectClaim& claim : partition.objects) {
                if (!claimed.insert(claim.path).second) return false;
                if (!is_good(claim, partition.hour, attempted.options.digest_policy)) return false;
            }
            const std::string prefix = "hour=" + model::format_hour(partition.hour) + "/";
            for (const auto& [path, content] : store) {
                if (!path.starts_with(prefix)) continue;
                if (!claimed.contains(path) && !known.contains(path)) return false;
            }
        }
        return true;
    }

    bool is_good(const ObjectClaim& claim, model::Hour hour, DigestPolicy policy) const {
        const auto found = store.find(claim.path);
        if (found == store.end()) return false;
        const Content& content = found->second;
        const auto before = known.find(claim.path);
        const bool is_known = before != known.end();
        if (is_known && before->second.size != content.bytes().size()) return false;
        const bool was_verified = is_known && before->second.verified;
        if (was_verified && *before->second.verified != content) return false;
        const bool is_digested = policy == DigestPolicy::always || was_verified;
        if (is_digested && claim.sha256 && *claim.sha256 != digest_of(content.bytes()))
            return false;
        return content.hour == hour && content.rows == claim.record_count &&
               content.bytes().size() == claim.size_bytes;
    }
};

void change_store(PublishWorld& world, Model& model) {
    const model::Hour hour = any_hour();
    const std::string name = any_name();
    const std::string path = PublishWorld::path_of(hour, name);
    if (*rc::gen::inRange(0, 8) == 0) {
        RC_ASSERT(world.store.remove({root, path}).ok());
        model.store.erase(path);
        return;
    }
    const Content content = any_content(hour, name);
    world.store.replace({root, path}, content.bytes());
    model.store[path] = content;
}

/// Mostly what lies in the store and is good, with a fault here and there.
ObjectClaim any_claim(const Model& model, model::Hour hour, const std::string& name) {
    const std::string path = PublishWorld::path_of(hour, name);
    const auto found = model.store.find(path);
    const Content content = found == model.store.end() ? any_content(hour, name) : found->second;
    ObjectClaim claim;
    claim.path = path;
    claim.size_bytes = content.bytes().size();
    claim.record_count = content.rows;
    switch (*rc::gen::inRange(0, 24)) {
        case 0: ++claim.size_bytes; break;
        case 1: ++claim.record_count; break;
        case 2: claim.sha256 = digest_of("other bytes"); break;
        case 3: claim.sha256 = digest_of(content.bytes()); break;
        default: break;
    }
    return claim;
}

manifest::PartitionClaim any_partition(const Model& model, model::Hour hour) {
    manifest::PartitionClaim partition{hour, {}, {}, {}};
    for (int i = 0; i < names; ++i) {
        const std::string name = "part-" + std::to_string(i);
        const bool is_there = model.store.contains(PublishWorld::path_of(hour, name));
        const bool wants = is_there ? *rc::gen::inRange(0, 6) != 0 : *rc::gen::inRange(0, 12) == 0;
        if (wants) partition.objects.push_back(any_claim(model, hour, name));
    }
    if (partition.objects.empty() && *rc::gen::arbitrary<bool>()) {
        partition.declared_empty = "nothing came";
    }
    if (!partition.objects.empty() && *rc::gen::inRange(0, 20) == 0) {
        partition.objects.push_back(partition.objects.front());
    }
    return partition;
}

Attempted any_attempt(PublishWorld& world, const Model& model, int number,
                      const catalog::GenerationRef& old_base) {
    Attempted attempted;
    attempted.manifest =
        PublishWorld::make_manifest("logs", "b" + std::to_string(number), nine, {});
    attempted.manifest.partitions.clear();
    const model::Hour hour = any_hour();
    attempted.manifest.partitions.push_back(any_partition(model, hour));
    if (*rc::gen::inRange(0, 3) == 0) {
        const model::Hour other{nine.since_epoch + (hour == nine ? 1 : 0)};
        attempted.manifest.partitions.push_back(any_partition(model, other));
    }
    attempted.has_base = *rc::gen::inRange(0, 8) != 0;
    attempted.has_old_base = attempted.has_base && *rc::gen::inRange(0, 8) == 0;
    if (attempted.has_base) {
        attempted.manifest.base_generation = attempted.has_old_base ? old_base : world.base();
    }
    if (*rc::gen::inRange(0, 4) == 0) attempted.options.digest_policy = DigestPolicy::never;
    attempted.options.rehash = *rc::gen::inRange(0, 4) == 0;
    return attempted;
}

void remember(Model& model, const Attempted& attempted) {
    for (const auto& partition : attempted.manifest.partitions) {
        model.published.insert(partition.hour);
        for (const ObjectClaim& claim : partition.objects) {
            const Content& content = model.store.at(claim.path);
            Known& known = model.known[claim.path];
            known.size = content.bytes().size();
            if (attempted.options.digest_policy == DigestPolicy::always) known.verified = content;
        }
    }
}

void play(PublishWorld& world, Model& model, int number, const catalog::GenerationRef& old_base) {
    const int changes = *rc::gen::inRange(0, 5);
    for (int i = 0; i < changes; ++i) change_store(world, model);
    const Attempted attempted = any_attempt(world, model, number, old_base);
    const bool is_expected = model.accepts(attempted);

    const auto before = world.visible();
    Gate gate(world.store, world.catalog, world.catalog, world.clock, {.threads = 1});
    const Submission submission{{{attempted.manifest}}, {}, attempted.options};
    const auto checked = gate.check(submission);
    RC_ASSERT(checked.ok());
    RC_ASSERT(world.visible() == before);
    const auto outcome = gate.publish(submission);
    RC_ASSERT(outcome.ok());
    RC_LOG() << format_report(outcome->report());
    RC_ASSERT(std::holds_alternative<Registered>(outcome->value) == is_expected);
    RC_ASSERT((checked->verdict == Verdict::accepted) == is_expected);
    RC_ASSERT(checked->code == outcome->report().code);
    if (is_expected) {
        remember(model, attempted);
    } else {
        RC_ASSERT(world.visible() == before);
    }
}

RC_GTEST_PROP(GateProperty, AcceptsExactlyWhatTheOracleDoes, ()) {
    PublishWorld world;
    world.add_table("logs");
    const auto old_base = world.base();
    Model model;
    // Something to begin with, so that half of all attempts are good.
    for (int hour = 0; hour < hours; ++hour) {
        const Content content{{nine.since_epoch + hour}, 1, 0};
        const std::string path = PublishWorld::path_of(content.hour, "part-0");
        world.store.replace({root, path}, content.bytes());
        model.store[path] = content;
    }
    const int attempts = *rc::gen::inRange(1, 8);
    for (int i = 0; i < attempts; ++i) play(world, model, i, old_base);
}

}  // namespace
}  // namespace highwater::publish
