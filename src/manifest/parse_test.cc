#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "manifest/manifest.h"

namespace highwater::manifest {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

auto fault(const std::string& where, const std::string& what) {
    return AllOf(Field(&Fault::where, where), Field(&Fault::what, HasSubstr(what)),
                 Field(&Fault::is_limit, false));
}
auto limit(const std::string& where, const std::string& what) {
    return AllOf(Field(&Fault::where, where), Field(&Fault::what, HasSubstr(what)),
                 Field(&Fault::is_limit, true));
}

std::string read_golden(const std::string& name) {
    std::ifstream file(HIGHWATER_SOURCE_DIR "/tests/golden/formats/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::string digest_a(64, 'a');

/// A manifest with one hour and one object, in which a test changes one thing.
class ParseTest : public ::testing::Test {
protected:
    std::vector<Fault> faults() const { return parse_manifest(format_json(document())).faults; }

    Json document() const {
        Json object = object_;
        Json hour = hour_;
        hour.set("objects", Json(Json::Array{object}));
        Json manifest = manifest_;
        manifest.set("partitions", Json(Json::Array{hour}));
        return manifest;
    }

    static Json without(const Json& json, std::string_view name) {
        Json::Object members = *json.find_object();
        std::erase_if(members, [&](const Json::Member& member) { return member.first == name; });
        return members;
    }
    static Json with(const Json& json, std::string_view name, Json value) {
        return without(json, name).set(std::string(name), std::move(value));
    }

    Json manifest_ = Json::object({{"format", 1}, {"table", "logs"}, {"batch_generation", "b1"}});
    Json hour_ = Json::object({{"hour", "2026-10-06T09"}});
    Json object_ = Json::object(
        {{"path", "hour=2026-10-06T09/a.parquet"}, {"size_bytes", 470}, {"record_count", 12}});
};

TEST_F(ParseTest, ReadsTheLeastThatThereCanBe) {
    const Parsed parsed = parse_manifest(format_json(document()));
    ASSERT_THAT(parsed.faults, IsEmpty());
    const Manifest& manifest = parsed.manifest;
    EXPECT_EQ(manifest.table, "logs");
    EXPECT_EQ(manifest.batch_generation, "b1");
    EXPECT_FALSE(manifest.idempotency_key || manifest.base_generation || manifest.schema_version);
    ASSERT_THAT(manifest.partitions, SizeIs(1));
    EXPECT_EQ(manifest.partitions[0].hour, model::Hour{497'577});
    ASSERT_THAT(manifest.partitions[0].objects, SizeIs(1));
    EXPECT_EQ(manifest.partitions[0].objects[0].size_bytes, 470U);
    EXPECT_FALSE(manifest.partitions[0].objects[0].sha256);
}

TEST_F(ParseTest, ReadsEveryField) {
    const Parsed parsed = parse_manifest(read_golden("manifest.json"));
    ASSERT_THAT(parsed.faults, IsEmpty());
    const Manifest& manifest = parsed.manifest;
    EXPECT_EQ(manifest.idempotency_key, "nightly-2026-10-06");
    EXPECT_EQ(manifest.schema_version, 2U);
    const auto* token = std::get_if<catalog::Token>(&*manifest.base_generation);
    ASSERT_NE(token, nullptr);
    EXPECT_EQ(token->number, 46U);
    ASSERT_THAT(manifest.partitions, SizeIs(2));
    EXPECT_EQ(manifest.partitions[0].location, "/cold/telemetry");
    const ObjectClaim& object = manifest.partitions[0].objects[1];
    EXPECT_EQ(object.path, "hour=2026-10-06T09/telemetry-48.parquet");
    EXPECT_TRUE(object.sha256 && object.min_time && object.max_time && object.row_fingerprint);
    EXPECT_EQ(manifest.partitions[1].declared_empty, "the fleet was switched off");
}

TEST_F(ParseTest, WritesTheGoldenBytesAgain) {
    const std::string golden = read_golden("manifest.json");
    EXPECT_EQ(format_manifest(parse_manifest(golden).manifest), golden);
}

TEST_F(ParseTest, EveryRequiredFieldIsMissedByName) {
    for (const std::string name : {"format", "table", "batch_generation"}) {
        const Json before = manifest_;
        manifest_ = without(manifest_, name);
        EXPECT_THAT(faults(), ElementsAre(fault(name, "missing")));
        manifest_ = before;
    }
    EXPECT_THAT(parse_manifest(format_json(manifest_)).faults,
                ElementsAre(fault("partitions", "missing")));
    for (const std::string name : {"path", "size_bytes", "record_count"}) {
        const Json before = object_;
        object_ = without(object_, name);
        EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects[0]." + name, "missing")));
        object_ = before;
    }
    hour_ = Json::object({});
    EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].hour", "missing")));
}

TEST_F(ParseTest, UnknownFieldsAreRefusedOnEveryLevel) {
    manifest_.set("partition", 1);
    hour_.set("object", 1);
    object_.set("size", 1);
    EXPECT_THAT(faults(), ElementsAre(fault("", "'partition'"), fault("partitions[0]", "'object'"),
                                      fault("partitions[0].objects[0]", "'size'")));
}

TEST_F(ParseTest, NumbersAreWholeAndExact) {
    const std::string where = "partitions[0].objects[0].size_bytes";
    for (const Json& value :
         {Json(-1), Json(470.0), Json(1e3), Json("470"), Json(), Json(true), Json(Json::Array{})}) {
        object_ = with(object_, "size_bytes", value);
        EXPECT_THAT(faults(), ElementsAre(fault(where, "whole number"))) << format_json(value);
    }
    object_ = with(object_, "size_bytes", UINT64_MAX);
    EXPECT_THAT(faults(), IsEmpty());
    // 2^64 is no 64-bit number, so the document is none.
    std::string text = format_json(document());
    text.replace(text.find("18446744073709551615"), 20, "18446744073709551616");
    EXPECT_THAT(parse_manifest(text).faults, ElementsAre(fault("", "64 bits")));
}

TEST_F(ParseTest, OtherTypesAreRefusedByName) {
    const std::vector<std::pair<std::string, Json*>> places = {
        {"table", &manifest_},
        {"batch_generation", &manifest_},
        {"idempotency_key", &manifest_},
        {"base_generation", &manifest_},
        {"partitions[0].hour", &hour_},
        {"partitions[0].location", &hour_},
        {"partitions[0].declared_empty", &hour_},
        {"partitions[0].objects[0].path", &object_},
        {"partitions[0].objects[0].sha256", &object_},
        {"partitions[0].objects[0].min_time", &object_},
        {"partitions[0].objects[0].max_time", &object_},
        {"partitions[0].objects[0].row_fingerprint", &object_},
    };
    for (const auto& [where, json] : places) {
        const Json before = *json;
        for (const Json& value : {Json(7), Json(), Json(Json::Object{})}) {
            *json = with(before, where.substr(where.rfind('.') + 1), value);
            EXPECT_THAT(faults(), ElementsAre(fault(where, "it is a string")));
        }
        *json = before;
    }
    manifest_ = with(manifest_, "schema_version", "1");
    EXPECT_THAT(faults(), ElementsAre(fault("schema_version", "whole number")));
    manifest_ = with(manifest_, "schema_version", std::uint64_t{UINT32_MAX} + 1);
    EXPECT_THAT(faults(), ElementsAre(fault("schema_version", "that large")));
    manifest_ = with(manifest_, "schema_version", 0);
    EXPECT_THAT(faults(), ElementsAre(fault("schema_version", "begin with 1")));
}

TEST_F(ParseTest, TextsAreOfTheirOneForm) {
    const std::vector<std::tuple<std::string, Json*, std::string>> places = {
        {"table", &manifest_, "no table"},
        {"batch_generation", &manifest_, ""},
        {"idempotency_key", &manifest_, "\x01"},
        {"base_generation", &manifest_, "47"},
        {"base_generation", &manifest_, "batch:"},
        {"partitions[0].hour", &hour_, "2026-10-06T09:30"},
        {"partitions[0].hour", &hour_, "yesterday"},
        {"partitions[0].location", &hour_, "relative/place"},
        {"partitions[0].location", &hour_, "/data//logs"},
        {"partitions[0].location", &hour_, "/data/logs/"},
        {"partitions[0].location", &hour_, "/data/../logs"},
        {"partitions[0].location", &hour_, "/"},
        {"partitions[0].location", &hour_, "://logs"},
        {"partitions[0].objects[0].sha256", &object_, "AA"},
        {"partitions[0].objects[0].row_fingerprint", &object_, std::string(63, 'a')},
        {"partitions[0].objects[0].min_time", &object_, "2026-10-06T09:00:00"},
        {"partitions[0].objects[0].max_time", &object_, "now"},
    };
    for (const auto& [where, json, text] : places) {
        const Json before = *json;
        *json = with(before, where.substr(where.rfind('.') + 1), text);
        EXPECT_THAT(faults(), ElementsAre(fault(where, ""))) << where << ": " << text;
        *json = before;
    }
    for (const std::string place : {"/data/logs", "s3://bucket/logs", "file:///data/logs"}) {
        hour_ = with(hour_, "location", place);
        EXPECT_THAT(faults(), IsEmpty()) << place;
    }
}

TEST_F(ParseTest, HostilePathsAreRefused) {
    for (const std::string path : {"", "/etc/passwd", "../up", "a/../b", "a/./b", "a//b", "a/",
                                   "a\\b", "a\nb", ".highwater/x", "a\x7F"}) {
        object_ = with(object_, "path", path);
        EXPECT_THAT(faults(), ElementsAre(fault("partitions[0].objects[0].path", ""))) << path;
    }
    object_ = with(object_, "path", std::string(1'025, 'a'));
    EXPECT_THAT(faults(), SizeIs(1));
    object_ = with(object_, "path", std::string(1'024, 'a'));
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(ParseTest, HostileDocumentsAreRefused) {
    const auto only_fault = [](const std::string& text) {
        const auto faults = parse_manifest(text).faults;
        EXPECT_THAT(faults, SizeIs(1)) << text.substr(0, 80);
        return faults.empty() ? Fault{} : faults[0];
    };
    EXPECT_THAT(only_fault(""), fault("", ""));
    EXPECT_THAT(only_fault("[]"), fault("", "JSON object"));
    EXPECT_THAT(only_fault("{} {}"), fault("", "line 1"));
    EXPECT_THAT(only_fault(R"({"format": 1, "format": 1})"), fault("", "twice"));
    EXPECT_THAT(only_fault("{\"table\": \"\xFF\"}"), fault("", ""));
    EXPECT_THAT(only_fault(std::string(100'000, '[')), limit("", ""));
    EXPECT_THAT(only_fault(std::string(1'000, '{')), fault("", ""));
    EXPECT_THAT(only_fault("{\"format\": 1e400}"), fault("", ""));
}

TEST_F(ParseTest, TheFormatIsTheOneThatIsRead) {
    manifest_ = with(manifest_, "format", 2);
    EXPECT_THAT(faults(), ElementsAre(fault("format", "reads format 1, not 2")));
    manifest_ = with(manifest_, "format", "1");
    EXPECT_THAT(faults(), ElementsAre(fault("format", "whole number")));
}

TEST_F(ParseTest, LimitsAreHeldOnBothSides) {
    const std::string text = format_json(document());
    Limits limits;
    limits.size_bytes_max = text.size();
    EXPECT_THAT(parse_manifest(text, limits).faults, IsEmpty());
    limits.size_bytes_max = text.size() - 1;
    EXPECT_THAT(parse_manifest(text, limits).faults, ElementsAre(limit("", "bytes")));

    limits = Limits();
    limits.partitions_max = 1;
    limits.objects_max = 1;
    EXPECT_THAT(parse_manifest(text, limits).faults, IsEmpty());
    limits.partitions_max = 0;
    EXPECT_THAT(parse_manifest(text, limits).faults, ElementsAre(limit("partitions", "hours")));
    limits = Limits();
    limits.objects_max = 0;
    EXPECT_THAT(parse_manifest(text, limits).faults,
                ElementsAre(limit("partitions[0].objects", "objects")));
}

TEST_F(ParseTest, NoMoreFaultsAreLookedForThanAllowed) {
    Json hours = Json::array();
    for (int i = 0; i < 20; ++i) hours.push_back(Json());
    Json manifest = manifest_;
    manifest.set("partitions", hours);
    Limits limits;
    limits.faults_max = 20;
    EXPECT_THAT(parse_manifest(format_json(manifest), limits).faults, SizeIs(20));
    limits.faults_max = 19;
    EXPECT_THAT(parse_manifest(format_json(manifest), limits).faults, SizeIs(19));
}

}  // namespace
}  // namespace highwater::manifest
