#include "env/clock.h"

#include <gtest/gtest.h>

#include <stop_token>
#include <thread>

#include "env/simulated_clock.h"

namespace highwater::env {
namespace {

using namespace std::chrono_literals;

TEST(SystemClock, SteadyNeverGoesBack) {
    SystemClock clock;
    const Duration first = clock.steady();
    EXPECT_GE(clock.steady(), first);
}

TEST(SystemClock, NowIsAfterThisWasWritten) {
    SystemClock clock;
    EXPECT_GT(clock.now(), Time(std::chrono::sys_days(std::chrono::January / 1 / 2026)));
}

TEST(SystemClock, WaitsAtLeastSoLong) {
    SystemClock clock;
    const Duration start = clock.steady();
    EXPECT_TRUE(clock.wait(2ms, {}));
    EXPECT_GE(clock.steady() - start, 2ms);
}

TEST(SystemClock, DoesNotWaitForZeroOrLess) {
    SystemClock clock;
    EXPECT_TRUE(clock.wait(0s, {}));
    EXPECT_TRUE(clock.wait(Duration::min(), {}));
}

TEST(SystemClock, AStopEndsTheLongestWait) {
    SystemClock clock;
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });
    EXPECT_FALSE(clock.wait(Duration::max(), stop.get_token()));
}

TEST(SystemClock, DoesNotWaitOnceStopped) {
    SystemClock clock;
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(clock.wait(Duration::max(), stop.get_token()));
    EXPECT_FALSE(clock.wait(0s, stop.get_token()));
}

constexpr Time start = std::chrono::sys_days(std::chrono::October / 6 / 2026) + 9h;

TEST(SimulatedClock, StandsStillUntilItIsMoved) {
    SimulatedClock clock(start);
    EXPECT_EQ(clock.now(), start);
    EXPECT_EQ(clock.now(), start);
    EXPECT_EQ(clock.steady(), 0s);
    clock.advance(90s);
    EXPECT_EQ(clock.now(), start + 90s);
    EXPECT_EQ(clock.steady(), 90s);
}

TEST(SimulatedClock, WaitMovesItAtOnce) {
    SimulatedClock clock(start);
    EXPECT_TRUE(clock.wait(24h, {}));
    EXPECT_EQ(clock.now(), start + 24h);
    EXPECT_EQ(clock.steady(), 24h);
    EXPECT_TRUE(clock.wait(-1s, {}));
    EXPECT_EQ(clock.steady(), 24h);
}

TEST(SimulatedClock, AStoppedWaitMovesNothing) {
    SimulatedClock clock(start);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(clock.wait(24h, stop.get_token()));
    EXPECT_EQ(clock.now(), start);
    EXPECT_EQ(clock.steady(), 0s);
}

TEST(SimulatedClock, TheWallClockAloneMayGoBack) {
    SimulatedClock clock(start);
    clock.advance(1h);
    clock.set_now(start - 24h);
    EXPECT_EQ(clock.now(), start - 24h);
    EXPECT_EQ(clock.steady(), 1h);
}

TEST(SimulatedClock, StopsAtTheEndOfTime) {
    SimulatedClock clock(start);
    EXPECT_TRUE(clock.wait(Duration::max(), {}));
    EXPECT_EQ(clock.now(), Time::max());
    clock.advance(1s);
    EXPECT_EQ(clock.now(), Time::max());
    EXPECT_EQ(clock.steady(), Duration::max());
    SimulatedClock early(Time::min());
    early.advance(Duration::max());
    EXPECT_EQ(early.now(), time_from_ns(-1));
}

TEST(SimulatedClockDeathTest, DoesNotGoBack) {
    SimulatedClock clock(start);
    EXPECT_DEATH(clock.advance(-1ns), "duration >= Duration\\(0\\)");
}

}  // namespace
}  // namespace highwater::env
