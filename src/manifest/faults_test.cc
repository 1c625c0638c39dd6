#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/manifest.h"

namespace highwater::manifest {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr model::Hour nine{497'577};  // 2026-10-06T09

auto fault(const std::string& where, const std::string& what) {
    return AllOf(Field(&Fault::where, where), Field(&Fault::what, HasSubstr(what)),
                 Field(&Fault::is_limit, false));
}
auto limit(const std::string& where, const std::string& what) {
    return AllOf(Field(&Fault::where, where), Field(&Fault::what, HasSubstr(what)),
                 Field(&Fault::is_limit, true));
}

ObjectClaim object(const std::string& path, std::uint64_t records = 1) {
    ObjectClaim claim;
    claim.path = path;
    claim.size_bytes = 10;
    claim.record_count = records;
    return claim;
}

class FaultsTest : public ::testing::Test {
protected:
    FaultsTest() {
        manifest_.table = "logs";
        manifest_.batch_generation = "b1";
        manifest_.partitions = {{nine, {}, {object("h9/a"), object("h9/b")}, {}},
                                {model::next(nine), {}, {object("h10/a")}, {}}};
    }

    PartitionClaim& first() { return manifest_.partitions[0]; }
    std::vector<Fault> faults(const Limits& limits = {}) { return find_faults(manifest_, limits); }

    Manifest manifest_;
};

TEST_F(FaultsTest, AGoodManifestHasNone) {
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(FaultsTest, AManifestNamesAtLeastOneHour) {
    manifest_.partitions.clear();
    EXPECT_THAT(faults(), ElementsAre(fault("partitions", "at least one hour")));
}

TEST_F(FaultsTest, AnHourIsNamedOnce) {
    manifest_.partitions.push_back({nine, {}, {object("h9/c")}, {}});
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[2].hour", "already at partitions[0]")));
}

TEST_F(FaultsTest, AnHourIsWithinTime) {
    first().hour = model::hour_max;
    EXPECT_THAT(faults(), IsEmpty());
    first().hour = model::next(model::hour_max);
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].hour", "out of range")));
}

TEST_F(FaultsTest, APathIsNamedOnceInAllHours) {
    manifest_.partitions[1].objects.push_back(object("h9/b"));
    first().objects.push_back(object("h9/a"));
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects[2].path",
                                            "'h9/a' is already at partitions[0].objects[0]"),
                                      fault("partitions[1].objects[1].path",
                                            "'h9/b' is already at partitions[0].objects[1]")));
}

TEST_F(FaultsTest, EmptinessNeedsAReason) {
    first().objects.clear();
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects", "no declared_empty")));
    first().declared_empty = "nothing came";
    EXPECT_THAT(faults(), IsEmpty());
    first().declared_empty = "  ";
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].declared_empty", "blank")));
    first().declared_empty = std::string(reason_size_max, 'x');
    EXPECT_THAT(faults(), IsEmpty());
    first().declared_empty = std::string(reason_size_max + 1, 'x');
    EXPECT_THAT(faults(), ElementsAre(limit("partitions[0].declared_empty", "bytes")));
    first().declared_empty = "\xFF";
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].declared_empty", "UTF-8")));
}

TEST_F(FaultsTest, AReasonIsForHoursWithoutObjects) {
    first().declared_empty = "nothing came";
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].declared_empty", "yet lists objects")));
}

TEST_F(FaultsTest, ObjectsWithoutAnyRecordDoNotMakeAnHour) {
    first().objects = {object("h9/a", 0), object("h9/b", 0)};
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects", "no records at all")));
    first().objects[1].record_count = 1;
    EXPECT_THAT(faults(), IsEmpty());
    // Counts are not added up, so they cannot wrap to nothing either.
    first().objects[0].record_count = UINT64_MAX;
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(FaultsTest, TimesAreInOrderAndOfRecords) {
    first().objects[0].min_time = time_from_ns(2);
    first().objects[0].max_time = time_from_ns(1);
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects[0].max_time", "before")));
    first().objects[0].max_time = time_from_ns(2);
    EXPECT_THAT(faults(), IsEmpty());
    first().objects[0].record_count = 0;
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects[0].min_time", "no times")));
}

TEST_F(FaultsTest, ATokenBuiltByHandIsWhole) {
    manifest_.base_generation = catalog::Token{{1, 2}, 3, "01234567"};
    EXPECT_THAT(faults(), IsEmpty());
    manifest_.base_generation = catalog::Token{{1, 2}, 3, "0123456"};
    EXPECT_THAT(faults(), ElementsAre(fault("base_generation", "8 digits")));
    manifest_.base_generation = catalog::BatchRef{""};
    EXPECT_THAT(faults(), ElementsAre(fault("base_generation", "empty")));
}

TEST_F(FaultsTest, CountsAreLimitedOnBothSides) {
    Limits limits;
    limits.partitions_max = 2;
    limits.objects_max = 3;
    EXPECT_THAT(faults(limits), IsEmpty());
    limits.objects_max = 2;
    EXPECT_THAT(faults(limits), ElementsAre(limit("partitions", "3 objects, more than 2")));
    limits.objects_max = 3;
    limits.partitions_max = 1;
    EXPECT_THAT(faults(limits), ElementsAre(limit("partitions", "2 hours, more than 1")));
}

TEST_F(FaultsTest, AreAsManyAsAllowed) {
    first().objects.clear();
    for (int i = 0; i < 2'000; ++i) first().objects.push_back(object("../" + std::to_string(i)));
    EXPECT_THAT(faults(), SizeIs(1'000));
    Limits limits;
    limits.faults_max = 3'000;
    EXPECT_THAT(faults(limits), SizeIs(2'000));
}

}  // namespace
}  // namespace highwater::manifest
