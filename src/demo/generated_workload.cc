#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/time.h"
#include "base/try.h"
#include "demo/workload.h"
#include "env/random.h"

namespace highwater::demo {

namespace {

constexpr std::uint64_t rows_per_object = 200;
constexpr std::uint64_t busy_files = 23;
constexpr std::uint64_t other_files = 3;
constexpr std::int64_t busy_offset = 20;  // Which of the 47 hours is the busy one.
constexpr std::array hosts = {"web-01", "web-02", "web-03", "db-01", "db-02"};
constexpr std::string_view first_hour_text = "2026-10-04T10";  // So that the 48th is 2026-10-06T09.

Result<void> make_folder(const std::string& folder) {
    std::error_code reason;
    std::filesystem::create_directories(folder, reason);
    if (reason) return Error(Code::unavailable, "make " + folder + ": " + reason.message());
    return {};
}

/// A load between 0 and 1 that swings with the day and jitters.
double load_at(std::int64_t second, std::size_t host, env::Random& random) {
    const double day =
        std::sin(2.0 * 3.14159265358979 * static_cast<double>(second % 86'400) / 86'400.0);
    const double jitter = static_cast<double>(random.next() % 1'000) / 10'000.0;
    return 0.35 + 0.05 * static_cast<double>(host) + 0.25 * day + jitter;
}

void write_hour(std::ofstream& file, model::Hour hour, std::uint64_t rows, env::Random& random) {
    const std::int64_t per_host = static_cast<std::int64_t>(rows / hosts.size());
    const std::int64_t step_ms = 3'600'000 / per_host;
    for (std::int64_t i = 0; i < per_host; ++i) {
        const Time time = model::start_of(hour) + std::chrono::milliseconds(i * step_ms);
        for (std::size_t host = 0; host < hosts.size(); ++host) {
            const double load = load_at(to_ns(time) / 1'000'000'000, host, random);
            file << fmt::format("{},{},{:.4f},{},{}\n", format_time(time), hosts[host], load,
                                200 + random.next() % 1'800, random.next() % 3);
        }
    }
}

/// One irregular series: a value every one to nine minutes, now and then two at one time.
Result<std::string> write_series(const std::string& folder, const std::string& name,
                                 model::HourRange hours, Workload& workload, env::Random& random) {
    TRY(make_folder(folder));
    const std::string path = folder + "/" + name;
    std::ofstream file(path, std::ios::binary);
    file << "timestamp,value\n";
    const Time end = model::start_of(hours.to);
    for (Time time = model::start_of(hours.from); time < end;) {
        const auto copies = random.next() % 20 == 0 ? 2U : 1U;
        for (unsigned copy = 0; copy < copies; ++copy) {
            file << fmt::format("{},{:.3f}\n", format_time(time),
                                static_cast<double>(random.next() % 100'000) / 1'000.0);
        }
        workload.rows[model::hour_of(time)] += copies;
        time += std::chrono::minutes(1 + random.next() % 9);
    }
    file.close();
    if (!file) return Error(Code::unavailable, "write " + path);
    return path;
}

Result<void> write_hours(const std::string& path, model::HourRange hours, Workload& workload,
                         env::Random& random) {
    std::ofstream file(path, std::ios::binary);
    file << "time,host,cpu_load,request_bytes,errors\n";
    for (model::Hour hour = hours.from; hour < hours.to; hour = model::next(hour)) {
        const bool is_busy = hour.since_epoch - workload.first.since_epoch == busy_offset;
        const std::uint64_t rows = rows_per_object * (is_busy ? busy_files : other_files);
        write_hour(file, hour, rows, random);
        workload.rows[hour] = rows;
    }
    file.close();
    if (!file) return Error(Code::unavailable, "write " + path);
    return {};
}

}  // namespace

Result<Workload> generate_workload(const std::string& folder, std::uint64_t seed) {
    TRY(make_folder(folder));
    env::SeededRandom random(seed);
    Workload workload;
    workload.name = "generated";
    workload.description =
        fmt::format("load of {} hosts, generated from seed {}", hosts.size(), seed);
    workload.first = TRY(model::parse_hour(first_hour_text));
    workload.next = {workload.first.since_epoch + baseline_hours};
    workload.rows_per_object = rows_per_object;
    const std::string baseline = folder + "/baseline.csv";
    const std::string next_hour = folder + "/next-hour.csv";
    TRY(write_hours(baseline, {workload.first, workload.next}, workload, random));
    TRY(write_hours(next_hour, {workload.next, model::next(workload.next)}, workload, random));
    workload.baseline = {baseline};
    workload.next_hour = {next_hour};
    workload.time_column = "time";
    return workload;
}

Result<Workload> generate_small_workload(const std::string& folder, std::uint64_t seed) {
    env::SeededRandom random(seed);
    Workload workload;
    workload.name = "small";
    workload.description = fmt::format("three irregular series, generated from seed {}", seed);
    workload.first = TRY(model::parse_hour(first_hour_text));
    workload.next = {workload.first.since_epoch + baseline_hours};
    workload.rows_per_object = 12;
    workload.labels = {"series={stem}"};
    workload.time_column = "timestamp";
    const model::HourRange before{workload.first, workload.next};
    const model::HourRange after{workload.next, model::next(workload.next)};
    for (const std::string series : {"cpu", "latency", "requests"}) {
        const std::string name = series + ".csv";
        workload.baseline.push_back(
            TRY(write_series(folder + "/baseline", name, before, workload, random)));
        workload.next_hour.push_back(
            TRY(write_series(folder + "/next", name, after, workload, random)));
    }
    return workload;
}

}  // namespace highwater::demo
