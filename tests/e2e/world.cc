#include "world.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/text.h"
#include "demo/facts.h"

namespace highwater::e2e {

std::string csv_of(const std::vector<Rows>& rows) {
    std::string csv = "ts,host,load\n";
    for (const auto& [hour, count, first] : rows) {
        for (int i = 0; i < count; ++i) {
            csv +=
                fmt::format("{}:{:02}:{:02}Z,web{},{}.0\n", hour, i / 60, i % 60, i % 2, first + i);
        }
    }
    return csv;
}

Totals totals_of(const std::vector<Rows>& rows) {
    Totals totals;
    for (const auto& [hour, count, first] : rows) {
        totals.count += static_cast<std::uint64_t>(count);
        for (int i = 0; i < count; ++i) totals.load += first + i;
    }
    return totals;
}

Json at(const Json& answer, std::string_view path) {
    auto found = demo::find_fact(answer, path);
    if (found.ok()) return *std::move(found);
    ADD_FAILURE() << path << " is not in " << format_json(answer, 2).substr(0, 4'000);
    return {};
}

std::string text(const Json& answer, std::string_view path) {
    const Json found = at(answer, path);
    if (const auto* value = found.find_string()) return *value;
    ADD_FAILURE() << path << " is no text: " << format_json(found).substr(0, 1'000);
    return {};
}

std::uint64_t number(const Json& answer, std::string_view path) {
    const Json found = at(answer, path);
    if (found.has_uint64()) return found.as_uint64();
    ADD_FAILURE() << path << " is no number: " << format_json(found).substr(0, 1'000);
    return 0;
}

std::size_t length(const Json& answer, std::string_view path) {
    const Json found = at(answer, path);
    if (const auto* elements = found.find_array()) return elements->size();
    ADD_FAILURE() << path << " is no array: " << format_json(found).substr(0, 1'000);
    return 0;
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.good()) << "no file " << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    ASSERT_TRUE(file.good()) << "not written: " << path;
}

World::World() {
    expect(0, {"init"});
    expect(0, {"table", "create", "cpu", "--time-column", "ts", "--column", "ts:timestamp!",
               "--column", "host:string", "--column", "load:float64"});
}

demo::Command World::run(Words words) const {
    auto command = demo::Shell(HIGHWATER_PROGRAM, directory()).run(std::move(words));
    if (command.ok()) return *std::move(command);
    ADD_FAILURE() << command.error().message();
    return {{}, -1, {}};
}

Json World::expect(int exit_code, Words words) const {
    demo::Command command = run(std::move(words));
    EXPECT_EQ(command.exit_code, exit_code) << command.line() << "\n"
                                            << format_json(command.answer, 2).substr(0, 4'000);
    return std::move(command.answer);
}

demo::Finished World::say(Words words) const {
    auto finished = demo::run_process(HIGHWATER_PROGRAM, Words{"--dir", directory()} + words);
    if (finished.ok()) return *std::move(finished);
    ADD_FAILURE() << finished.error().message();
    return {-1, {}, {}};
}

Json World::stage(const std::string& batch, const std::vector<Rows>& rows,
                  const Words& more) const {
    const std::string csv = folder() + "/" + batch + ".csv";
    write(csv, csv_of(rows));
    return expect(0, Words{"stage", "--table", "cpu", "--csv", csv, "--batch", batch, "--out",
                           manifest(batch)} +
                         more);
}

std::string World::publish(const std::string& batch, const std::vector<Rows>& rows,
                           const Words& more) const {
    stage(batch, rows, more);
    return text(expect(0, {"publish", manifest(batch)}), "generation");
}

Words World::ask(const Words& contract) {
    return Words{"query", "--sql", "select count(*) as n, sum(load) as total from cpu"} + contract;
}

Totals World::totals(const Words& contract) const {
    return totals_in(expect(0, ask(contract)));
}

std::string World::head() const {
    return text(expect(0, {"status"}), "head.token");
}

std::vector<std::string> World::objects_of(const Json& staged) {
    const std::string root = text(staged, "location");
    std::vector<std::string> objects;
    for (std::size_t hour = 0; hour < length(staged, "partitions"); ++hour) {
        const std::string paths = fmt::format("partitions.{}.paths", hour);
        for (std::size_t i = 0; i < length(staged, paths); ++i) {
            objects.push_back(root + "/" + text(staged, fmt::format("{}.{}", paths, i)));
        }
    }
    return objects;
}

Totals totals_in(const Json& answer) {
    const auto loads = demo::real_at(answer, "rows.0.total");
    return {number(answer, "rows.0.n"), loads.ok() ? *loads : 0};
}

Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Words hour(int of_day) {
    return {"--from", hour_name(of_day), "--to", hour_name(of_day + 1)};
}

std::string hour_name(int of_day) {
    return fmt::format("2026-10-06T{:02}", of_day);
}

}  // namespace highwater::e2e
