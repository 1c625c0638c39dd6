#include "names_and_calls.h"

#include <gmock/gmock.h>

namespace highwater::tidy {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Findings calls(std::string path, std::string_view text) {
    return find_misplaced_calls(make_source(std::move(path), text));
}

TEST(MisplacedCallsTest, TheClockIsInEnv) {
    const std::string_view text = "auto now = std::chrono::system_clock::now();";
    EXPECT_THAT(calls("src/env/clock.cc", text), IsEmpty());
    EXPECT_THAT(calls("bench/plan_bench.cc", text), IsEmpty());
    EXPECT_THAT(calls("src/cache/refresh.cc", text), SizeIs(1));
    EXPECT_THAT(calls("src/cache/refresh_test.cc", text), SizeIs(1));
    EXPECT_THAT(calls("include/highwater/time.h", text), SizeIs(1));
    EXPECT_THAT(calls("app/highwater_main.cc", "steady_clock::now();"), SizeIs(1));
    EXPECT_THAT(calls("src/cache/refresh.cc", "clock_gettime(CLOCK_REALTIME, &t);"), SizeIs(1));
    EXPECT_THAT(calls("src/cache/refresh.cc", "clock.now();  // not system_clock"), IsEmpty());
    EXPECT_THAT(calls("src/base/time.h", "using Time = std::chrono::sys_time<ns>;"), IsEmpty());
}

TEST(MisplacedCallsTest, RandomnessIsInEnv) {
    EXPECT_THAT(calls("src/env/random.cc", "std::random_device device;"), IsEmpty());
    EXPECT_THAT(calls("src/base/uuid.cc", "std::random_device device;"), SizeIs(1));
    EXPECT_THAT(calls("src/base/uuid.cc", "int a = rand();"), SizeIs(1));
    EXPECT_THAT(calls("tests/simulation/world.cc", "int a = rand();"), SizeIs(1));
    EXPECT_THAT(calls("src/base/uuid.cc", "SeededRandom random(seed); operand(b);"), IsEmpty());
}

TEST(MisplacedCallsTest, NobodySleeps) {
    EXPECT_THAT(calls("src/env/clock.cc", "std::this_thread::sleep_for(pause);"), IsEmpty());
    EXPECT_THAT(calls("src/cache/refresh.cc", "std::this_thread::sleep_for(pause);"), SizeIs(1));
    EXPECT_THAT(calls("tests/e2e/demo_test.cc", "usleep(10);"), SizeIs(1));
    EXPECT_THAT(calls("src/cache/refresh.cc", "clock_.sleep_until_woken;"), IsEmpty());
}

TEST(MisplacedCallsTest, AppReadsTheEnvironment) {
    EXPECT_THAT(calls("app/highwater_main.cc", "std::getenv(name);"), IsEmpty());
    EXPECT_THAT(calls("src/testkit/acceptance.cc", "std::getenv(name);"), IsEmpty());
    EXPECT_THAT(calls("src/cli/command.cc", "std::getenv(name);"), SizeIs(1));
}

TEST(MisplacedCallsTest, AppSpeaksToTheTerminal) {
    EXPECT_THAT(calls("app/highwater_main.cc", "std::cout << 1;"), IsEmpty());
    EXPECT_THAT(calls("tests/fuzz/replay_main.cc", "std::cerr << 1;"), IsEmpty());
    EXPECT_THAT(calls("src/cli/command.cc", "std::cerr << 1;"), SizeIs(1));
    EXPECT_THAT(calls("src/cli/command.cc", "printf(a);"), SizeIs(1));
    EXPECT_THAT(calls("src/base/hex.cc", "snprintf(a, 3, b);"), IsEmpty());
}

TEST(BooleanResultsTest, AreFound) {
    EXPECT_THAT(find_boolean_results(make_source("a.h", "Result<bool> has(Key);")), SizeIs(1));
    EXPECT_THAT(find_boolean_results(make_source("a.h", "Result< bool > has(Key);")), SizeIs(1));
    EXPECT_THAT(find_boolean_results(make_source("a.h", "Result<Boolean> a;  // Result<bool>")),
                IsEmpty());
}

Findings names(std::string path, std::string_view text) {
    return find_empty_names(make_source(std::move(path), text));
}

TEST(EmptyNamesTest, OfFiles) {
    EXPECT_THAT(names("src/publish/gate.cc", ""), IsEmpty());
    EXPECT_THAT(names("src/publish/score.cc", ""), IsEmpty());
    EXPECT_THAT(names("src/publish/gate_util.cc", ""), SizeIs(1));
    EXPECT_THAT(names("src/common/gate.cc", ""), SizeIs(1));
}

TEST(EmptyNamesTest, OfTypesAndNamespaces) {
    EXPECT_THAT(names("a.h", "class LeaseManager {"), SizeIs(1));
    EXPECT_THAT(names("a.h", "struct QueryContext;"), SizeIs(1));
    EXPECT_THAT(names("a.h", "enum class CoreKind : int {"), SizeIs(1));
    EXPECT_THAT(names("a.h", "namespace highwater::util {"), SizeIs(1));
    EXPECT_THAT(names("a.h", "using Context = int;"), SizeIs(1));
    EXPECT_THAT(names("a.h", "class [[nodiscard]] Helper final : public Base {"), SizeIs(1));
}

TEST(EmptyNamesTest, NotOfWhatOthersDefined) {
    EXPECT_THAT(names("a.cc", "struct sha256_context context = {};"), IsEmpty());
    EXPECT_THAT(names("a.cc", "arrow::compute::ExecContext context;"), IsEmpty());
    EXPECT_THAT(names("a.cc", "// class Manager {"), IsEmpty());
    EXPECT_THAT(names("a.h", "class Commonplace {"), IsEmpty());
}

Findings unfinished(std::string_view text) {
    return find_unfinished_work(make_source("src/a/b.cc", text));
}

TEST(UnfinishedWorkTest, IsFound) {
    EXPECT_THAT(unfinished("// TODO: later"), SizeIs(1));
    EXPECT_THAT(unfinished("return Error(\"Not implemented\");"), SizeIs(1));
    EXPECT_THAT(unfinished("TEST(GateTest, DISABLED_Refuses) {"), SizeIs(1));
    EXPECT_THAT(unfinished("#if 0"), SizeIs(1));
    EXPECT_THAT(unfinished("if (false) return;"), SizeIs(1));
    EXPECT_THAT(unfinished("// A stubborn reader; \"DISABLED_x\"."), IsEmpty());
}

}  // namespace
}  // namespace highwater::tidy
