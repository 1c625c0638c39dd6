#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "object/memory_store.h"
#include "parquet/inspect.h"
#include "stage/check.h"
#include "stage/stager.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater {
namespace {

using testing::Each;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testkit::IsOk;

constexpr model::Hour nine = testkit::PublishWorld::nine;

/// The rows of `count` minutes of the hour as they come from a collector.
Bytes csv_of(int count) {
    Bytes text = "time,value\n";
    for (int i = 0; i < count; ++i) {
        text += "2026-10-06 09:" + std::to_string(100 + i).substr(1) + ":00," + std::to_string(i) +
                "\n";
    }
    return text;
}

stage::StageRequest request_of(testkit::PublishWorld& world) {
    EXPECT_THAT(object::put_new(world.store, {"/in", "a.csv"}, csv_of(60)), IsOk());
    return {.table = "t",
            .batch = "telemetry-47",
            .inputs = {{.file = {"/in", "a.csv"}}},
            .scratch_root = "/scratch",
            .id = env::make_uuid(world.random),
            .now = world.clock.now()};
}

/// A file that our own writer made, and the schema it was written for.
Bytes written_file() {
    testkit::PublishWorld world;
    world.add_table("t");
    const auto staged = stage::Stager(world.store, world.store, world.catalog, world.catalog)
                            .stage(request_of(world));
    EXPECT_THAT(staged, IsOk());
    const std::string& path = staged->manifest->partitions[0].objects[0].path;
    return *object::get(world.store, {"/lake/t", path}, 1 << 20);
}

stage::FileVerdict verdict_of(const Bytes& bytes) {
    testkit::PublishWorld world;
    const auto schema = world.add_table("t").current().schema;
    EXPECT_THAT(object::put_new(world.store, {"/x", "file"}, bytes), IsOk());
    const auto reader = world.store.open({"/x", "file"});
    const auto check = stage::check_file(**reader, schema, nine);
    EXPECT_THAT(check, IsOk());
    return check->verdict;
}

TEST(Field, A38_AFileOfTheRightSizeWithoutAFooterIsInvalid) {
    const Bytes good = written_file();
    ASSERT_EQ(verdict_of(good), stage::FileVerdict::accepted);
    // The writer was killed: the file system gave it its size, the last bytes never came.
    for (std::size_t kept = 0; kept < good.size(); kept += 37) {
        const Bytes killed = good.substr(0, kept) + Bytes(good.size() - kept, '\0');
        EXPECT_EQ(verdict_of(killed), stage::FileVerdict::footer_invalid) << kept;
    }
    // Or the footer came and says something else.
    Bytes garbled = good;
    for (std::size_t i = good.size() - 60; i < good.size() - 8; ++i) garbled[i] = '\x7F';
    EXPECT_EQ(verdict_of(garbled), stage::FileVerdict::footer_invalid);
}

TEST(Field, A39_ATruncatedFileIsInvalid) {
    const Bytes good = written_file();
    for (std::size_t size = 0; size < good.size(); size += 7) {
        EXPECT_EQ(verdict_of(good.substr(0, size)), stage::FileVerdict::footer_invalid) << size;
    }
    // A hole in the middle, with the footer in its place.
    const Bytes holed = good.substr(0, 50) + good.substr(80);
    EXPECT_EQ(verdict_of(holed), stage::FileVerdict::footer_invalid);
}

/// A store that shows what a reader's listing sees at every step of a writer.
class WatchedStore final : public object::Store {
public:
    WatchedStore(object::Store& inner, std::function<void()> watch)
        : inner_(inner), watch_(std::move(watch)) {}

    Result<std::unique_ptr<object::Upload>> create(const object::Name& name) override {
        auto upload = inner_.create(name);
        if (!upload.ok()) return upload.error();
        return std::unique_ptr<object::Upload>(
            std::make_unique<WatchedUpload>(*std::move(upload), watch_));
    }
    Result<std::unique_ptr<object::Reader>> open(const object::Name& name) override {
        return inner_.open(name);
    }
    Result<std::optional<object::Entry>> head(const object::Name& name) override {
        return inner_.head(name);
    }
    Result<object::Page> list_page(const std::string& root, const std::string& prefix,
                                   const std::string& token) override {
        return inner_.list_page(root, prefix, token);
    }
    Result<void> remove(const object::Name& name) override { return inner_.remove(name); }

private:
    class WatchedUpload final : public object::Upload {
    public:
        WatchedUpload(std::unique_ptr<object::Upload> inner, const std::function<void()>& watch)
            : inner_(std::move(inner)), watch_(watch) {}

        Result<void> append(BytesView bytes) override {
            watch_();
            auto done = inner_->append(bytes);
            watch_();
            return done;
        }
        Result<void> seal() override {
            watch_();
            auto done = inner_->seal();
            watch_();
            return done;
        }
        Result<object::Identity> finish() override {
            watch_();
            auto done = inner_->finish();
            watch_();
            return done;
        }

    private:
        std::unique_ptr<object::Upload> inner_;
        const std::function<void()>& watch_;
    };

    object::Store& inner_;
    std::function<void()> watch_;
};

TEST(Field, A41_ObjectsAreWrittenOutsideEveryReadersView) {
    testkit::PublishWorld world;
    const auto schema = world.add_table("t").current().schema;
    std::size_t looks = 0;
    // A reader that globs the table whenever the writer does anything sees only whole files.
    WatchedStore store(world.store, [&] {
        ++looks;
        const auto entries = object::list_all(world.store, "/lake/t", "");
        for (const object::Entry& entry : *entries) {
            const auto reader = world.store.open({"/lake/t", entry.path});
            const auto scan = parquet::scan_file(**reader, schema);
            ASSERT_THAT(scan, IsOk());
            EXPECT_EQ(scan->verdict, parquet::Verdict::readable) << scan->reason;
            EXPECT_EQ(scan->record_count, 20U);
        }
    });
    stage::StageRequest request = request_of(world);
    request.layout.objects_per_hour = 3;
    const auto staged =
        stage::Stager(store, world.store, world.catalog, world.catalog).stage(request);
    ASSERT_THAT(staged, IsOk());
    EXPECT_THAT(staged->manifest->partitions[0].objects, SizeIs(3));
    EXPECT_GT(looks, 12U);
}

}  // namespace
}  // namespace highwater
