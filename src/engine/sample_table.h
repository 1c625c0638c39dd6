#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "env/random.h"
#include "model/hour.h"
#include "model/schema.h"
#include "object/file_system.h"
#include "object/local_store.h"
#include "parquet/rows.h"
#include "parquet/write.h"
#include "read/plan.h"

namespace highwater::engine {

/// A table of real files in a local directory, and the plan over them: what tests and benchmarks of
/// engines run on. Not part of the product. Whatever cannot be done ends the program.
class SampleTable {
public:
    /// Requires: `location` is an absolute directory that is there.
    SampleTable(const std::string& location, model::Schema schema,
                const std::string& name = "sample") {
        table_.table.name = name;
        table_.table.location = location;
        table_.table.schemas = {{.version = 1, .schema = std::move(schema)}};
        table_.range = {model::start_of(model::hour_min), model::end_of(model::hour_max)};
    }

    const model::Schema& schema() const { return table_.table.current().schema; }
    read::PlannedTable& planned() { return table_; }
    const read::PlannedTable& planned() const { return table_; }

    /// A later version of the schema, for the files that are added from now on.
    void add_column(const model::Column& column) {
        auto schema = model::add_column(table_.table.current().schema, column);
        ASSERT(schema.ok());
        const std::uint32_t version = table_.table.current().version + 1;
        table_.table.schemas.push_back({.version = version, .schema = *std::move(schema)});
    }

    /// Writes rows of the current schema as one new object and puts it into the plan. Returned as
    /// it was planned.
    read::PlannedFile add(model::Hour hour, const std::string& file,
                          const parquet::RowBatch& rows) {
        read::PlannedFile planned = write(hour, file, rows);
        table_.files.push_back(planned);
        std::ranges::sort(table_.files, {}, [](const read::PlannedFile& f) {
            return std::pair(f.hour, f.name.path);
        });
        cover(hour).record_count += planned.record_count;
        return planned;
    }

    /// The same, but nobody plans it.
    read::PlannedFile write(model::Hour hour, const std::string& file,
                            const parquet::RowBatch& rows) {
        const auto prefix = table_.table.pattern.render(hour);
        ASSERT(prefix.has_value());
        read::PlannedFile planned;
        planned.name = {table_.table.location, *prefix + "/" + file};
        planned.hour = hour;
        planned.schema_version = table_.table.current().version;
        auto upload = store_.create(planned.name);
        ASSERT(upload.ok());
        parquet::ObjectWriter writer(**upload, schema(),
                                     {.table_id = "sample",
                                      .schema_version = planned.schema_version,
                                      .row_group_rows = row_group_rows});
        ASSERT(writer.append(rows, 0, rows.rows()).ok());
        const auto written = writer.close();
        ASSERT(written.ok());
        const auto identity = (*upload)->finish();
        ASSERT(identity.ok());
        planned.record_count = written->record_count;
        planned.identity = *identity;
        planned.sha256 = written->sha256;
        planned.row_fingerprint = written->row_fingerprint;
        return planned;
    }

    void declare_empty(model::Hour hour) { cover(hour).declared_empty = "no telemetry"; }

    read::Plan plan() const {
        read::Plan plan;
        plan.generation.number = 1;
        plan.tables = {table_};
        for (const read::PlannedFile& file : table_.files) plan.rows_in_scope += file.record_count;
        return plan;
    }

    static std::string path_of(const read::PlannedFile& file) {
        return file.name.root + "/" + file.name.path;
    }

    std::size_t row_group_rows = parquet::row_group_rows_max;

private:
    read::PlannedHour& cover(model::Hour hour) {
        const auto found = std::ranges::find(table_.hours, hour, &read::PlannedHour::hour);
        if (found != table_.hours.end()) return *found;
        table_.hours.emplace_back().hour = hour;
        std::ranges::sort(table_.hours, {}, &read::PlannedHour::hour);
        return *std::ranges::find(table_.hours, hour, &read::PlannedHour::hour);
    }

    object::SystemFileSystem files_;
    env::SystemRandom random_;
    object::LocalStore store_{files_, random_};
    read::PlannedTable table_;
};

/// A schema with one nullable column of every type beside the time.
inline model::Schema every_type(model::TimeUnit unit) {
    using model::ColumnType;
    model::Schema schema;
    schema.time_column = "time";
    schema.unit = unit;
    schema.columns = {{.id = 1, .name = "time", .type = ColumnType::timestamp, .nullable = false}};
    constexpr std::array types = {ColumnType::boolean, ColumnType::int8,    ColumnType::int16,
                                  ColumnType::int32,   ColumnType::int64,   ColumnType::uint8,
                                  ColumnType::uint16,  ColumnType::uint32,  ColumnType::uint64,
                                  ColumnType::float32, ColumnType::float64, ColumnType::string,
                                  ColumnType::binary,  ColumnType::date,    ColumnType::timestamp};
    std::int32_t id = 2;
    for (const ColumnType type : types) {
        schema.columns.push_back(
            {.id = id++, .name = "a " + std::string(model::to_text(type)), .type = type});
    }
    for (const std::int32_t precision : {4, 9, 18, 38}) {
        schema.columns.push_back({.id = id++,
                                  .name = "decimal of " + std::to_string(precision),
                                  .type = ColumnType::decimal,
                                  .decimal_precision = precision,
                                  .decimal_scale = 2});
    }
    return schema;
}

/// A schema as most telemetry has it.
inline model::Schema measurements(model::TimeUnit unit = model::TimeUnit::microsecond) {
    model::Schema schema;
    schema.time_column = "time";
    schema.unit = unit;
    schema.columns = {
        {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2, .name = "host", .type = model::ColumnType::string},
        {.id = 3, .name = "value", .type = model::ColumnType::float64},
        {.id = 4, .name = "count", .type = model::ColumnType::int64}};
    return schema;
}

namespace detail {

inline std::int64_t unit_ns(model::TimeUnit unit) {
    return unit == model::TimeUnit::millisecond   ? 1'000'000
           : unit == model::TimeUnit::microsecond ? 1'000
                                                  : 1;
}

/// The lowest, the highest and the nearest to zero that a type can hold, and others.
inline void append_sample(parquet::Cells& cells, const model::Column& column, model::TimeUnit unit,
                          std::uint64_t random) {
    using model::ColumnType;
    if (column.nullable && random % 5 == 0) return cells.append_null();
    const auto integer = [&](auto low, auto high) {
        const std::array<std::int64_t, 4> values = {static_cast<std::int64_t>(low),
                                                    static_cast<std::int64_t>(high), 0,
                                                    static_cast<std::int64_t>(random >> 8U) % 100};
        cells.append_integer(values[random / 5 % values.size()]);
    };
    const auto whole = [&]<typename T>(T) {
        integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    };
    const auto floating = [&]<typename T>(T) {
        using Limits = std::numeric_limits<T>;
        const std::array<T, 8> values = {T{0},
                                         -T{0},
                                         Limits::quiet_NaN(),
                                         Limits::infinity(),
                                         Limits::lowest(),
                                         Limits::denorm_min(),
                                         T(0.1),
                                         T(random % 1'000) / T(7)};
        cells.append_floating(static_cast<double>(values[random / 5 % values.size()]));
    };
    switch (column.type) {
        case ColumnType::boolean: return cells.append_integer(random / 5 % 2 == 0 ? 1 : 0);
        case ColumnType::int8: return whole(std::int8_t{});
        case ColumnType::int16: return whole(std::int16_t{});
        case ColumnType::int32: return whole(std::int32_t{});
        case ColumnType::int64: return whole(std::int64_t{});
        case ColumnType::uint8: return whole(std::uint8_t{});
        case ColumnType::uint16: return whole(std::uint16_t{});
        case ColumnType::uint32: return whole(std::uint32_t{});
        case ColumnType::uint64: return whole(std::uint64_t{});
        case ColumnType::float32: return floating(float{});
        case ColumnType::float64: return floating(double{});
        case ColumnType::date: return integer(-25'000, 60'000);
        case ColumnType::timestamp:
            return integer(-1'000'000'000'000'000'000 / unit_ns(unit),
                           4'000'000'000'000'000'000 / unit_ns(unit));
        case ColumnType::string: {
            const std::array<BytesView, 4> values = {"", "web-01", "it's \"100 %\"", "h\u00f6st"};
            return cells.append_bytes(values[random / 5 % values.size()]);
        }
        case ColumnType::binary: {
            const std::array<BytesView, 3> values = {"", "\xff\xfe", BytesView("\0a\0", 3)};
            return cells.append_bytes(values[random / 5 % values.size()]);
        }
        case ColumnType::decimal: {
            std::array<char, parquet::decimal_size_bytes> bytes{};
            const bool is_negative = random % 2 == 0;
            bytes.fill(is_negative ? '\xff' : '\0');
            bytes[0] = static_cast<char>(random >> 16U);
            bytes[1] = is_negative ? '\xf0' : '\x0f';  // Of four digits at most.
            return cells.append_bytes({bytes.data(), bytes.size()});
        }
    }
}

}  // namespace detail

/// `count` rows within `hour`, times ascending. The same seed gives the same rows.
inline parquet::RowBatch sample_rows(const model::Schema& schema, model::Hour hour,
                                     std::size_t count, std::uint64_t seed) {
    env::SeededRandom random(seed);
    parquet::RowBatch rows = parquet::make_batch(schema);
    const std::int64_t unit = detail::unit_ns(schema.unit);
    const std::int64_t start = to_ns(model::start_of(hour)) / unit;
    const std::int64_t in_hour = 3'600'000'000'000 / unit;
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t i = 0; i < schema.columns.size(); ++i) {
            const model::Column& column = schema.columns[i];
            if (column.name == schema.time_column) {
                const auto at = static_cast<std::int64_t>(row);
                rows.columns[i].append_integer(start +
                                               in_hour * at / static_cast<std::int64_t>(count));
            } else {
                detail::append_sample(rows.columns[i], column, schema.unit, random.next());
            }
        }
    }
    return rows;
}

}  // namespace highwater::engine
