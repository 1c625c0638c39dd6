#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>

#include "base/hex.h"
#include "manifest/manifest.h"
#include "testkit/generators.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::manifest {
namespace {

using testkit::IsOk;

template <typename T>
rc::Gen<std::optional<T>> maybe(rc::Gen<T> generator) {
    return rc::gen::oneOf(rc::gen::just(std::optional<T>()),
                          rc::gen::map(std::move(generator),
                                       [](T value) { return std::optional<T>(std::move(value)); }));
}

rc::Gen<Digest> any_digest() {
    return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t value) {
        return highwater::digest_of(std::to_string(value));
    });
}

ObjectClaim any_object(const std::string& path) {
    ObjectClaim object;
    object.path = path;
    object.size_bytes = *rc::gen::arbitrary<std::uint64_t>();
    object.record_count = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
    object.sha256 = *maybe(any_digest());
    object.row_fingerprint = *maybe(any_digest());
    object.min_time = *maybe(testkit::any_time());
    if (object.min_time) object.max_time = *maybe(rc::gen::just(*object.min_time));
    return object;
}

catalog::GenerationRef any_base() {
    if (*rc::gen::arbitrary<bool>()) return catalog::BatchRef{"telemetry-46"};
    return catalog::Token{
        {*rc::gen::inRange<std::uint32_t>(1, 9), *rc::gen::arbitrary<std::uint64_t>()},
        *rc::gen::arbitrary<std::uint64_t>(),
        "0123abcd"};
}

/// A manifest that keeps every rule.
Manifest any_manifest() {
    Manifest manifest;
    manifest.table = *rc::gen::element<std::string>("logs", "t_1", "Telemetry");
    manifest.batch_generation = *rc::gen::element<std::string>("b1", "ünicode ☃", "a b/c");
    manifest.idempotency_key = *maybe(rc::gen::element<std::string>("k", "key with spaces"));
    if (*rc::gen::arbitrary<bool>()) manifest.base_generation = any_base();
    manifest.schema_version = *maybe(rc::gen::inRange<std::uint32_t>(1, 100));
    const auto hours =
        *rc::gen::suchThat(rc::gen::unique<std::vector<model::Hour>>(testkit::any_hour()),
                           [](const auto& some) { return !some.empty() && some.size() < 5; });
    std::set<std::string> paths;
    for (const model::Hour hour : hours) {
        PartitionClaim partition{hour, {}, {}, {}};
        partition.location = *maybe(rc::gen::element<std::string>("/cold/logs", "s3://b/logs"));
        const auto wanted = *rc::gen::resize(
            10, rc::gen::container<std::vector<std::string>>(testkit::any_object_path()));
        for (const std::string& path : wanted) {
            if (paths.insert(path).second) partition.objects.push_back(any_object(path));
        }
        if (partition.objects.empty()) partition.declared_empty = "nothing came";
        manifest.partitions.push_back(std::move(partition));
    }
    return manifest;
}

RC_GTEST_PROP(ManifestProperty, WhatIsWrittenIsReadBack, ()) {
    const Manifest manifest = any_manifest();
    RC_ASSERT(find_faults(manifest).empty());
    const Parsed parsed = parse_manifest(format_manifest(manifest));
    RC_ASSERT(parsed.faults.empty());
    RC_ASSERT(parsed.manifest == manifest);
}

RC_GTEST_PROP(ManifestProperty, OrderAndSpaceDoNotChangeTheDigest, ()) {
    Manifest manifest = any_manifest();
    const Digest digest = digest_of(manifest);
    std::mt19937_64 shuffler(*rc::gen::arbitrary<std::uint64_t>());
    std::ranges::shuffle(manifest.partitions, shuffler);
    for (PartitionClaim& partition : manifest.partitions) {
        std::ranges::shuffle(partition.objects, shuffler);
    }
    RC_ASSERT(digest_of(manifest) == digest);
    const std::string compact = format_json(to_json(manifest));
    RC_ASSERT(digest_of(parse_manifest(compact).manifest) == digest);
}

/// Every way to make it say something else.
std::vector<std::function<void(Manifest&)>> mutations() {
    const auto object = [](Manifest& manifest) -> ObjectClaim& {
        return manifest.partitions[0].objects[0];
    };
    const auto flip = [](auto& value, auto other) {
        if (value) {
            value.reset();
        } else {
            value = other;
        }
    };
    const Digest digest = highwater::digest_of("other");
    return {
        [](Manifest& m) { m.table += "x"; },
        [](Manifest& m) { m.batch_generation += "x"; },
        [=](Manifest& m) { flip(m.idempotency_key, "k"); },
        [](Manifest& m) { m.idempotency_key = m.idempotency_key.value_or("") + "x"; },
        [=](Manifest& m) { flip(m.base_generation, catalog::BatchRef{"b"}); },
        [](Manifest& m) { m.base_generation = catalog::BatchRef{"another"}; },
        [=](Manifest& m) { flip(m.schema_version, 7U); },
        [](Manifest& m) { m.schema_version = m.schema_version.value_or(0) + 1; },
        [](Manifest& m) { m.partitions.push_back({{INT64_C(1) << 40}, {}, {}, "new"}); },
        [](Manifest& m) { m.partitions.pop_back(); },
        [](Manifest& m) { ++m.partitions[0].hour.since_epoch; },
        [=](Manifest& m) { flip(m.partitions[0].location, "/x"); },
        [](Manifest& m) {
            m.partitions[0].location = m.partitions[0].location.value_or("/") + "x";
        },
        [=](Manifest& m) { flip(m.partitions[0].declared_empty, "why"); },
        [](Manifest& m) { m.partitions[0].objects.pop_back(); },
        [=](Manifest& m) { object(m).path += "x"; },
        [=](Manifest& m) { ++object(m).size_bytes; },
        [=](Manifest& m) { ++object(m).record_count; },
        [=](Manifest& m) { flip(object(m).sha256, digest); },
        [=](Manifest& m) { object(m).sha256 = digest; },
        [=](Manifest& m) { flip(object(m).row_fingerprint, digest); },
        [=](Manifest& m) { object(m).row_fingerprint = digest; },
        [=](Manifest& m) { flip(object(m).min_time, Time()); },
        [=](Manifest& m) {
            object(m).min_time = object(m).min_time.value_or(Time()) + Duration(1);
        },
        [=](Manifest& m) { flip(object(m).max_time, Time()); },
        [=](Manifest& m) { std::swap(object(m).min_time, object(m).max_time); },
        [=](Manifest& m) { std::swap(object(m).sha256, object(m).row_fingerprint); },
        [=](Manifest& m) { std::swap(object(m).size_bytes, object(m).record_count); },
    };
}

RC_GTEST_PROP(ManifestProperty, EveryOtherStatementHasAnotherDigest, ()) {
    Manifest manifest = any_manifest();
    if (manifest.partitions[0].objects.empty()) {
        manifest.partitions[0].objects.push_back(any_object("an/object"));
    }
    const Digest digest = digest_of(manifest);
    for (const auto& mutate : mutations()) {
        Manifest other = manifest;
        mutate(other);
        RC_ASSERT((digest_of(other) == digest) == (other == manifest));
    }
}

std::string read_golden(const std::string& name) {
    std::ifstream file(HIGHWATER_SOURCE_DIR "/tests/golden/formats/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ManifestDigestTest, IsTheOneOfTheFormatPage) {
    const auto golden =
        testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/manifest.hex");
    ASSERT_THAT(golden, IsOk());
    const Manifest manifest = parse_manifest(read_golden("manifest.json")).manifest;
    EXPECT_EQ(format_digest(digest_of(manifest)), format_hex(golden->at("manifest_digest")));
    EXPECT_EQ(format_digest(digest_of(Publication{{manifest}})),
              format_hex(golden->at("publication_digest")));
}

TEST(PublicationDigestTest, IsOfTheSetOfManifests) {
    Manifest one = parse_manifest(read_golden("manifest.json")).manifest;
    Manifest other = one;
    other.table = "other";
    const Digest both = digest_of(Publication{{one, other}});
    EXPECT_EQ(digest_of(Publication{{other, one}}), both);
    EXPECT_NE(digest_of(Publication{{one}}), both);
    EXPECT_NE(digest_of(Publication{{one, one}}), both);
    EXPECT_NE(digest_of(Publication{{one}}), digest_of(one));
}

}  // namespace
}  // namespace highwater::manifest
