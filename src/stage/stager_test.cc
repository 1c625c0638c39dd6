#include "stage/stager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "parquet/inspect.h"
#include "parquet/read.h"
#include "testkit/commits.h"
#include "testkit/handmade_parquet.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::stage {
namespace {

using model::ColumnType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine = testkit::PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);

/// A table `t` at /lake/t, inputs at /in, and a stager.
class StagerTest : public testing::Test {
protected:
    StagerTest() { world_.add_table("t"); }

    Input put(const std::string& path, const Bytes& text, Input::Kind kind = Input::Kind::csv) {
        EXPECT_THAT(object::put_new(world_.store, {"/in", path}, text), IsOk());
        return {.file = {"/in", path}, .kind = kind};
    }

    StageRequest request(std::vector<Input> inputs, const std::string& table = "t") {
        return {.table = table,
                .batch = "batch-1",
                .inputs = std::move(inputs),
                .scratch_root = "/scratch",
                .id = env::make_uuid(world_.random),
                .now = world_.clock.now()};
    }

    Result<Staged> stage(const StageRequest& request) {
        return Stager(world_.store, world_.store, world_.catalog, world_.catalog).stage(request);
    }

    std::vector<std::string> paths_at(const std::string& root) {
        std::vector<std::string> paths;
        const auto entries = object::list_all(world_.store, root, "");
        for (const object::Entry& entry : *entries) paths.push_back(entry.path);
        return paths;
    }

    std::vector<catalog::Intent> intents(const std::string& table = "t") {
        return *world_.catalog.load_intents(world_.table(table).id);
    }

    void expect_nothing_left() {
        EXPECT_THAT(paths_at("/lake/t"), IsEmpty());
        EXPECT_THAT(paths_at("/scratch"), IsEmpty());
        EXPECT_THAT(intents(), IsEmpty());
    }

    /// The rows of every object of a manifest's hour, in (path, row) order.
    parquet::RowBatch rows_of(const manifest::PartitionClaim& partition,
                              const model::Schema& schema) {
        parquet::RowBatch all = parquet::make_batch(schema);
        for (const manifest::ObjectClaim& object : partition.objects) {
            const auto reader = world_.store.open({"/lake/t", object.path});
            EXPECT_THAT(reader, IsOk());
            auto rows = parquet::RowReader::open(**reader, schema);
            EXPECT_THAT(rows, IsOk());
            for (auto batch = rows->next(); *batch; batch = rows->next()) {
                for (std::size_t row = 0; row < (*batch)->rows(); ++row) {
                    parquet::append_row(all, **batch, row);
                }
            }
        }
        return all;
    }

    catalog::Table add_table(const std::string& name, model::Schema schema) {
        catalog::Table table = testkit::make_table(name, "/lake/" + name);
        table.schemas = {{1, std::move(schema), 0}};
        world_.commit(catalog::Operation::create_table, {table}, {});
        return world_.table(name);
    }

    testkit::PublishWorld world_;
};

TEST_F(StagerTest, StagesHoursAsSortedObjectsAndAManifest) {
    auto request = this->request({put("a.csv",
                                      "time,value\n"
                                      "2026-10-06 12:59:59.999999,3\n"
                                      "2026-10-06T09:30:00Z,2\n"
                                      "2026-10-06 09:00:00,1.5\n"
                                      "2026-10-06 09:30:00,\n")});
    request.manifest = object::Name{"/out", "manifest.json"};
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt) << staged->refusal->why;
    EXPECT_EQ(staged->rows_read, 4U);
    EXPECT_EQ(staged->rows_staged, 4U);
    EXPECT_THAT(staged->gaps, ElementsAre(model::HourRange{ten, {nine.since_epoch + 3}}));

    const manifest::Manifest& manifest = *staged->manifest;
    EXPECT_THAT(manifest::find_faults(manifest), IsEmpty());
    EXPECT_EQ(manifest.table, "t");
    EXPECT_EQ(manifest.batch_generation, "batch-1");
    EXPECT_EQ(manifest.schema_version, 1U);
    ASSERT_THAT(manifest.partitions, SizeIs(2));
    EXPECT_EQ(manifest.partitions[0].hour, nine);
    const parquet::RowBatch rows =
        rows_of(manifest.partitions[0], world_.table("t").current().schema);
    ASSERT_EQ(rows.rows(), 3U);
    EXPECT_EQ(rows.columns[1].floating_at(0), 1.5);
    EXPECT_TRUE(rows.columns[1].is_null(1));
    EXPECT_EQ(rows.columns[1].floating_at(2), 2);

    const auto written = object::get(world_.store, {"/out", "manifest.json"}, 1 << 20);
    ASSERT_THAT(written, IsOk());
    EXPECT_EQ(manifest::parse_manifest(*written).manifest, manifest);

    ASSERT_THAT(intents(), SizeIs(1));
    EXPECT_EQ(intents()[0].id, request.id);
    EXPECT_EQ(intents()[0].batch, "batch-1");
    EXPECT_EQ(intents()[0].paths, paths_at("/lake/t"));
    EXPECT_EQ(intents()[0].expires, world_.clock.now() + intent_lifetime_default);
    EXPECT_THAT(paths_at("/scratch"), IsEmpty());
}

TEST_F(StagerTest, ClaimsWhatAScanOfEachObjectFinds) {
    const auto staged = stage(request({put("a.csv",
                                           "time,value\n2026-10-06 09:00:00,1\n"
                                           "2026-10-06 09:00:01,2\n2026-10-06 10:00:00,3\n")}));
    ASSERT_THAT(staged, IsOk());
    for (const auto& partition : staged->manifest->partitions) {
        for (const manifest::ObjectClaim& object : partition.objects) {
            const auto reader = world_.store.open({"/lake/t", object.path});
            ASSERT_THAT(reader, IsOk());
            const auto scan = parquet::scan_file(**reader, world_.table("t").current().schema);
            ASSERT_THAT(scan, IsOk());
            EXPECT_EQ(object.size_bytes, (*reader)->identity().size_bytes);
            EXPECT_EQ(object.record_count, scan->record_count);
            EXPECT_EQ(object.min_time, scan->min_time);
            EXPECT_EQ(object.max_time, scan->max_time);
            EXPECT_EQ(object.row_fingerprint, scan->row_fingerprint);
            EXPECT_EQ(object.sha256, digest_of(*(*reader)->read_at(0, 1 << 20)));
        }
    }
}

/// What is the same of two stagings: everything but names.
std::vector<manifest::ObjectClaim> without_names(const manifest::Manifest& manifest) {
    std::vector<manifest::ObjectClaim> claims;
    for (const auto& partition : manifest.partitions) {
        for (manifest::ObjectClaim claim : partition.objects) {
            claim.path = model::format_hour(partition.hour);
            claims.push_back(claim);
        }
    }
    return claims;
}

RC_GTEST_PROP(Stager, WritesTheSameBytesForTheSameRowsHoweverTheyCome, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    std::vector<std::string> lines;
    const auto count = *rc::gen::inRange<std::size_t>(1, 400);
    for (std::size_t i = 0; i < count; ++i) {
        const auto minute = random() % 240;
        lines.push_back("2026-10-06 " + std::string(minute < 60 ? "0" : "1") +
                        std::to_string((minute / 60 + 9) % 10) + ":" +
                        std::to_string(minute % 60 + 100).substr(1) + ":00," +
                        std::to_string(random() % 50) + "\n");
    }
    const auto stage_lines = [&](std::size_t files, std::size_t memory) {
        testkit::PublishWorld world;
        world.add_table("t");
        StageRequest request{.table = "t",
                             .batch = "b",
                             .inputs = {},
                             .layout = {.objects_per_hour = 2},
                             .scratch_root = "/scratch",
                             .memory = memory,
                             .id = env::make_uuid(world.random)};
        std::vector<Bytes> texts(files, "time,value\n");
        for (std::size_t i = 0; i < lines.size(); ++i) texts[i % files] += lines[i];
        for (std::size_t i = 0; i < files; ++i) {
            const object::Name name{"/in", std::to_string(i)};
            RC_ASSERT(object::put_new(world.store, name, texts[i]).ok());
            request.inputs.push_back({.file = name});
        }
        const auto staged =
            Stager(world.store, world.store, world.catalog, world.catalog).stage(request);
        RC_ASSERT(staged.ok());
        RC_ASSERT(staged->manifest.has_value());
        RC_ASSERT(staged->rows_staged == lines.size());
        RC_ASSERT((staged->runs_spilled > 0) == (memory == sort_memory_min && count > 150) ||
                  count <= 200);
        return without_names(*staged->manifest);
    };
    const auto expected = stage_lines(1, sort_memory_default);
    std::shuffle(lines.begin(), lines.end(), random);
    RC_ASSERT(stage_lines(3, sort_memory_default) == expected);
    RC_ASSERT(stage_lines(2, sort_memory_min) == expected);
}

TEST_F(StagerTest, RefusesBadLinesBeyondTheLimitAndKeepsThem) {
    const Input input = put("a.csv",
                            "time,value\n2026-10-06 09:00:00,1\nyesterday,2\n"
                            "2026-10-06 09:00:01,1,1\n2026-10-06 09:00:02,\"o\"\"ne\"\n");
    auto request = this->request({input});
    request.bad_lines_max = 2;
    request.rejects = object::Name{"/out", "rejects.csv"};
    const auto refused = stage(request);
    ASSERT_THAT(refused, IsOk());
    ASSERT_TRUE(refused->refusal.has_value());
    EXPECT_EQ(refused->refusal->kind, Refusal::Kind::bad_lines);
    EXPECT_THAT(refused->refusal->why, HasSubstr("3 bad lines, more than the 2"));
    EXPECT_EQ(refused->manifest, std::nullopt);
    ASSERT_THAT(refused->first_bad_lines, SizeIs(3));
    EXPECT_EQ(refused->first_bad_lines[0].file, "a.csv");
    EXPECT_EQ(refused->first_bad_lines[0].number, 3U);
    EXPECT_THAT(refused->first_bad_lines[0].reason, HasSubstr("column 'time'"));
    EXPECT_EQ(refused->first_bad_lines[1].reason, "3 fields, not 2");
    EXPECT_EQ(refused->first_bad_lines[2].original, "2026-10-06 09:00:02,\"o\"\"ne\"");
    expect_nothing_left();
    const auto rejects = object::get(world_.store, {"/out", "rejects.csv"}, 1 << 20);
    ASSERT_THAT(rejects, IsOk());
    EXPECT_THAT(*rejects, HasSubstr("file,line,reason,original\na.csv,3,"));
    EXPECT_THAT(*rejects, HasSubstr("\na.csv,4,\"3 fields, not 2\",\"2026-10-06 09:00:01,1,1\"\n"));

    request.bad_lines_max = 3;
    request.rejects = object::Name{"/out", "other.csv"};
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    EXPECT_EQ(staged->refusal, std::nullopt);
    EXPECT_EQ(staged->bad_lines, 3U);
    EXPECT_EQ(staged->rows_staged, 1U);
    EXPECT_EQ(object::get(world_.store, {"/out", "other.csv"}, 1 << 20)->size(), rejects->size());
}

TEST_F(StagerTest, LeavesOutBadLinesByDefaultNever) {
    const auto refused = stage(request({put("a.csv", "time,value\n2026-10-06 09:00:00,x\n")}));
    ASSERT_THAT(refused, IsOk());
    EXPECT_EQ(refused->refusal->kind, Refusal::Kind::bad_lines);
    expect_nothing_left();
}

TEST_F(StagerTest, KeepsTheFirstBadLinesOnly) {
    Bytes text = "time,value\n";
    for (std::size_t i = 0; i <= bad_lines_kept_max; ++i) text += "x,1\n";
    const auto refused = stage(request({put("a.csv", text)}));
    ASSERT_THAT(refused, IsOk());
    EXPECT_EQ(refused->bad_lines, bad_lines_kept_max + 1);
    EXPECT_THAT(refused->first_bad_lines, SizeIs(bad_lines_kept_max));
}

TEST_F(StagerTest, RefusesInputsWithoutRows) {
    const auto refused = stage(request({put("a.csv", "time,value\n")}));
    ASSERT_THAT(refused, IsOk());
    EXPECT_EQ(refused->refusal->kind, Refusal::Kind::no_rows);
    expect_nothing_left();
}

TEST_F(StagerTest, RefusesPublishedHoursWithoutABase) {
    const Input input = put("a.csv", "time,value\n2026-10-06 09:00:00,1\n2026-10-06 10:00:00,1\n");
    const auto published = testkit::make_partition(world_.table("t"), ten, {"x"});
    world_.commit(catalog::Operation::publish, {}, {published});
    const auto refused = stage(request({input}));
    ASSERT_THAT(refused, IsOk());
    ASSERT_TRUE(refused->refusal.has_value());
    EXPECT_EQ(refused->refusal->kind, Refusal::Kind::hours_published);
    EXPECT_THAT(refused->refusal->hours, ElementsAre(ten));
    EXPECT_THAT(refused->refusal->why, HasSubstr("2026-10-06T10"));
    expect_nothing_left();

    auto correction = request({input});
    correction.base_generation = world_.base();
    const auto staged = stage(correction);
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt);
    EXPECT_EQ(staged->manifest->base_generation, world_.base());
    EXPECT_THAT(staged->manifest->partitions, SizeIs(2));
}

TEST_F(StagerTest, TakesAnHourThatIsNoLongerPublished) {
    const auto published = testkit::make_partition(world_.table("t"), nine, {"x"});
    world_.commit(catalog::Operation::publish, {}, {published});
    world_.commit(catalog::Operation::unpublish, {},
                  {testkit::retired(*world_.find_partition("t", nine))});
    const auto staged = stage(request({put("a.csv", "time,value\n2026-10-06 09:00:00,1\n")}));
    ASSERT_THAT(staged, IsOk());
    EXPECT_EQ(staged->refusal, std::nullopt);
}

TEST_F(StagerTest, AddsLabelsOfAllAndOfEachFile) {
    model::Schema schema = world_.table("t").current().schema;
    for (const char* name : {"site", "series", "note"}) {
        schema.columns.push_back({.id = static_cast<std::int32_t>(schema.columns.size()) + 1,
                                  .name = name,
                                  .type = ColumnType::string});
    }
    add_table("labelled", schema);
    auto request = this->request({put("in/cpu.load.csv", "time,value\n2026-10-06 09:00:00,1\n"),
                                  put("disk.csv", "time,value,note\n2026-10-06 09:00:01,2,\"\"\n")},
                                 "labelled");
    request.options.labels = {{"site", "north"}, {"series", "{stem}!"}};
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt) << staged->refusal->why;
    const auto reader =
        world_.store.open({"/lake/labelled", staged->manifest->partitions[0].objects[0].path});
    auto rows = parquet::RowReader::open(**reader, schema);
    const auto batch = *rows->next();
    EXPECT_EQ(batch->columns[2].bytes_at(0), "north");
    EXPECT_EQ(batch->columns[3].bytes_at(0), "cpu!");
    EXPECT_TRUE(batch->columns[4].is_null(0));
    EXPECT_EQ(batch->columns[3].bytes_at(1), "disk!");
    EXPECT_EQ(batch->columns[4].bytes_at(1), "");

    request.inputs[1].labels = {{"site", "south"}};
    const auto twice = stage(request);
    ASSERT_THAT(twice, FailsWith(Code::invalid_argument));
    EXPECT_THAT(twice.error().message(), HasSubstr("disk.csv: label 'site' is given twice"));
}

TEST_F(StagerTest, RefusesInputsThatAreWrongAsAWhole) {
    const auto message_of = [&](const Bytes& text) {
        static int count = 0;
        const auto staged = stage(request({put("w" + std::to_string(++count), text)}));
        EXPECT_THAT(staged, FailsWith(Code::invalid_argument));
        expect_nothing_left();
        return staged.ok() ? std::string() : staged.error().message();
    };
    EXPECT_THAT(message_of(""), HasSubstr("w1: it is empty"));
    EXPECT_THAT(message_of("value\n1\n"), HasSubstr("'time' may not be null and is not there"));
    EXPECT_THAT(message_of("time,value,more\n"), HasSubstr("'more' is not in the table"));
    EXPECT_THAT(message_of("time,value,time\n"), HasSubstr("names 'time' twice"));
    EXPECT_THAT(message_of("time,,value\n"), HasSubstr("an empty name"));
    EXPECT_THAT(message_of("time,value\n2026-10-06 09:00:00,\"1\n"),
                HasSubstr("line 2: a quote is never closed"));
    auto left_out = request({put("more", "time,value,more\n2026-10-06 09:00:00,1,x\n")});
    left_out.options.left_out = {"more"};
    EXPECT_THAT(stage(left_out), IsOk());
}

TEST_F(StagerTest, ReadsTextWithoutAHeader) {
    auto request = this->request({put("a.csv", "1791277200;7\n")});
    request.options = {
        .delimiter = ';', .names = {"time", "value"}, .times = {.kind = TimeFormat::Kind::seconds}};
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt) << staged->refusal->why;
    EXPECT_EQ(staged->manifest->partitions[0].hour, nine);
}

TEST_F(StagerTest, RefusesARequestThatIsWrong) {
    const Input input = put("a.csv", "time,value\n2026-10-06 09:00:00,1\n");
    const auto expect_code = [&](Code code, auto change) {
        auto request = this->request({input});
        change(request);
        EXPECT_THAT(stage(request), FailsWith(code));
        expect_nothing_left();
    };
    expect_code(Code::not_found, [](StageRequest& r) { r.table = "other"; });
    expect_code(Code::not_found, [](StageRequest& r) { r.inputs[0].file.path = "b.csv"; });
    expect_code(Code::invalid_argument, [](StageRequest& r) { r.inputs.clear(); });
    expect_code(Code::invalid_argument, [](StageRequest& r) { r.batch = ""; });
    expect_code(Code::invalid_argument, [](StageRequest& r) { r.memory = sort_memory_min - 1; });
    expect_code(Code::invalid_argument, [](StageRequest& r) { r.layout.rows_per_object = 0; });
    expect_code(Code::invalid_argument, [](StageRequest& r) { r.options.delimiter = '"'; });
    expect_code(Code::invalid_argument, [](StageRequest& r) { r.scratch_root = "/lake/t/x"; });
    expect_code(Code::invalid_argument,
                [](StageRequest& r) { r.manifest = object::Name{"/lake", "t/m.json"}; });
    expect_code(Code::already_exists,
                [](StageRequest& r) { r.manifest = object::Name{"/in", "a.csv"}; });
    expect_code(Code::already_exists,
                [](StageRequest& r) { r.rejects = object::Name{"/in", "a.csv"}; });
}

TEST_F(StagerTest, CutsHoursIntoObjectsInTheOrderOfTheirRows) {
    Bytes text = "time,value\n";
    for (int i = 0; i < 10; ++i) text += "2026-10-06 09:00:0" + std::to_string(i) + ",1\n";
    auto request = this->request({put("a.csv", text)});
    request.layout.objects_per_hour = 3;
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    const auto& objects = staged->manifest->partitions[0].objects;
    ASSERT_THAT(objects, SizeIs(3));
    EXPECT_EQ(objects[0].record_count, 4U);
    EXPECT_LT(objects[0].max_time, objects[1].min_time);
    EXPECT_LT(objects[1].max_time, objects[2].min_time);
}

TEST_F(StagerTest, LinksMoreObjectsThanItKeepsOpen) {
    Bytes text = "time,value\n";
    for (std::size_t i = 0; i < open_uploads_max + 2; ++i) {
        text += std::to_string(model::start_of(nine).time_since_epoch().count() / 1'000 +
                               static_cast<std::int64_t>(i)) +
                ",1\n";
    }
    auto request = this->request({put("a.csv", text)});
    request.options.times.kind = TimeFormat::Kind::microseconds;
    request.layout.rows_per_object = 1;
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    EXPECT_THAT(staged->manifest->partitions[0].objects, SizeIs(open_uploads_max + 2));
    EXPECT_THAT(paths_at("/lake/t"), SizeIs(open_uploads_max + 2));
}

TEST_F(StagerTest, KeepsIdenticalRowsUnlessToldOtherwise) {
    const Input input = put("a.csv",
                            "time,value\n2026-10-06 09:00:00,1\n2026-10-06 09:00:00,1\n"
                            "2026-10-06 09:00:00,2\n2026-10-06 10:00:00,1\n");
    EXPECT_EQ(stage(request({input}))->rows_staged, 4U);
    auto once = request({input});
    once.drop_identical = true;
    once.layout.objects_per_hour = 3;
    const auto staged = stage(once);
    ASSERT_THAT(staged, IsOk());
    EXPECT_EQ(staged->rows_staged, 3U);
    EXPECT_EQ(staged->rows_identical, 1U);
    EXPECT_THAT(staged->manifest->partitions[0].objects, SizeIs(2));
    EXPECT_THAT(staged->manifest->partitions[1].objects, SizeIs(1));
}

TEST_F(StagerTest, NeverUsesANameTwice) {
    const Input input = put("a.csv", "time,value\n2026-10-06 09:00:00,1\n");
    const auto first = stage(request({input}));
    const auto second = stage(request({input}));
    ASSERT_THAT(second, IsOk());
    EXPECT_NE(first->manifest->partitions[0].objects[0].path,
              second->manifest->partitions[0].objects[0].path);
    EXPECT_THAT(paths_at("/lake/t"), SizeIs(2));

    // The same id again finds the name taken, and takes nothing back that is not its own.
    auto again = request({input});
    again.id = first->intent;
    EXPECT_THAT(stage(again), FailsWith(Code::already_exists));
    EXPECT_THAT(paths_at("/lake/t"), SizeIs(2));
}

TEST_F(StagerTest, StagesParquetOfOtherWriters) {
    using namespace testkit;  // NOLINT(google-build-using-namespace)
    const Bytes int96 = make_handmade_parquet(
        {.columns = {
             {.name = "value",
              .physical = parquet_physical::float32,
              .repetition = 1,
              .logical_type = std::nullopt,
              .values = {plain_i32(0x3F000000), std::nullopt}},
             {.name = "time",
              .physical = parquet_physical::int96,
              .repetition = 1,
              .logical_type = std::nullopt,
              // 2026-10-06T10:30 at +01:00, and no time.
              .values = {plain_int96(37'800'000'000'000, 2'440'588 + 20'732), std::nullopt}}}});
    auto request = this->request({put("a.parquet", int96, Input::Kind::parquet)});
    request.options.times.zone = std::chrono::minutes(60);
    request.bad_lines_max = 1;
    const auto staged = stage(request);
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt) << staged->refusal->why;
    EXPECT_EQ(staged->first_bad_lines[0].number, 2U);
    EXPECT_THAT(staged->first_bad_lines[0].reason, HasSubstr("column 'time': is null"));
    ASSERT_EQ(staged->manifest->partitions[0].hour, nine);
    const auto rows = rows_of(staged->manifest->partitions[0], world_.table("t").current().schema);
    EXPECT_EQ(rows.columns[1].floating_at(0), 0.5);
    EXPECT_EQ(parquet::to_time(rows.columns[0].integer_at(0), model::TimeUnit::microsecond),
              model::start_of(nine) + std::chrono::minutes(30));

    const auto broken = stage(
        this->request({put("b.parquet", int96.substr(0, int96.size() - 3), Input::Kind::parquet)}));
    ASSERT_THAT(broken, FailsWith(Code::corrupt));
    EXPECT_THAT(broken.error().message(), HasSubstr("b.parquet"));
}

TEST_F(StagerTest, TellsItsProgressAndStops) {
    const Input input = put("a.csv", "time,value\n2026-10-06 09:00:00,1\n");
    auto request = this->request({input});
    Progress last;
    request.on_progress = [&](const Progress& progress) { last = progress; };
    ASSERT_THAT(stage(request), IsOk());
    EXPECT_EQ(last, (Progress{.rows_read = 1,
                              .bad_lines = 0,
                              .inputs_read = 1,
                              .hours_written = 1,
                              .objects_written = 1}));

    // Stopped at each call back: nothing is left.
    for (int at = 0;; ++at) {
        auto stopped = this->request({input});
        std::stop_source stop;
        int calls = 0;
        stopped.stop = stop.get_token();
        stopped.on_progress = [&](const Progress&) {
            if (calls++ == at) stop.request_stop();
        };
        const auto before = paths_at("/lake/t");
        const auto staged = stage(stopped);
        if (staged.ok()) break;
        EXPECT_THAT(staged, FailsWith(Code::cancelled)) << at;
        EXPECT_EQ(paths_at("/lake/t"), before);
    }
    EXPECT_THAT(intents(), SizeIs(2));
}

}  // namespace
}  // namespace highwater::stage
