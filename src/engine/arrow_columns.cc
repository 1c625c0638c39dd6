#include "engine/arrow_columns.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/status.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "engine/cell_text.h"

namespace highwater::engine {

namespace {

using model::ColumnType;
using parquet::Cells;

constexpr std::int32_t decimal_128_digits = 38;

::arrow::TimeUnit::type arrow_unit(model::TimeUnit unit) {
    switch (unit) {
        case model::TimeUnit::millisecond: return ::arrow::TimeUnit::MILLI;
        case model::TimeUnit::microsecond: return ::arrow::TimeUnit::MICRO;
        case model::TimeUnit::nanosecond: return ::arrow::TimeUnit::NANO;
    }
    return ::arrow::TimeUnit::NANO;
}

template <typename ArrayType, typename Append>
void append_each(const ::arrow::Array& array, Cells& cells, Append append) {
    const auto& typed = static_cast<const ArrayType&>(array);
    for (std::int64_t i = 0; i < typed.length(); ++i) {
        if (typed.IsNull(i)) {
            cells.append_null();
        } else {
            append(typed, i);
        }
    }
}

template <typename ArrayType>
void append_integers(const ::arrow::Array& array, Cells& cells) {
    append_each<ArrayType>(array, cells, [&](const ArrayType& typed, std::int64_t i) {
        cells.append_integer(static_cast<std::int64_t>(typed.Value(i)));
    });
}

template <typename ArrayType>
void append_floats(const ::arrow::Array& array, Cells& cells) {
    append_each<ArrayType>(array, cells, [&](const ArrayType& typed, std::int64_t i) {
        cells.append_floating(static_cast<double>(typed.Value(i)));
    });
}

template <typename ArrayType>
void append_texts(const ::arrow::Array& array, Cells& cells) {
    append_each<ArrayType>(array, cells, [&](const ArrayType& typed, std::int64_t i) {
        cells.append_bytes(typed.GetView(i));
    });
}

void append_decimals(const ::arrow::Array& array, Cells& cells) {
    append_each<::arrow::Decimal128Array>(
        array, cells, [&](const ::arrow::Decimal128Array& typed, std::int64_t i) {
            cells.append_bytes(
                {reinterpret_cast<const char*>(typed.GetValue(i)), parquet::decimal_size_bytes});
        });
}

template <typename BuilderType, typename Append>
::arrow::Result<std::shared_ptr<::arrow::Array>> build(BuilderType&& builder, const Cells& cells,
                                                       Append append) {
    ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<std::int64_t>(cells.size())));
    for (std::size_t row = 0; row < cells.size(); ++row) {
        ARROW_RETURN_NOT_OK(cells.is_null(row) ? builder.AppendNull() : append(builder, row));
    }
    return builder.Finish();
}

template <typename BuilderType, typename Value>
::arrow::Result<std::shared_ptr<::arrow::Array>> build_integers(const Cells& cells) {
    return build(BuilderType(), cells, [&](BuilderType& builder, std::size_t row) {
        return builder.Append(static_cast<Value>(cells.integer_at(row)));
    });
}

template <typename BuilderType, typename Value>
::arrow::Result<std::shared_ptr<::arrow::Array>> build_floats(const Cells& cells) {
    return build(BuilderType(), cells, [&](BuilderType& builder, std::size_t row) {
        return builder.Append(static_cast<Value>(cells.floating_at(row)));
    });
}

template <typename BuilderType>
::arrow::Result<std::shared_ptr<::arrow::Array>> build_texts(const Cells& cells) {
    return build(BuilderType(), cells, [&](BuilderType& builder, std::size_t row) {
        return builder.Append(cells.bytes_at(row));
    });
}

::arrow::Result<std::shared_ptr<::arrow::Array>> build_decimals(const ResultColumn& column,
                                                                const Cells& cells) {
    return build(
        ::arrow::Decimal128Builder(arrow_type(column)), cells,
        [&](::arrow::Decimal128Builder& builder, std::size_t row) {
            const auto bytes = cells.bytes_at(row);
            const ::arrow::Decimal128 value(reinterpret_cast<const std::uint8_t*>(bytes.data()));
            if (!value.FitsInPrecision(decimal_128_digits)) {
                return ::arrow::Status::Invalid("column ", column.name, ": ",
                                                format_decimal(bytes, column.decimal_scale),
                                                " has more than 38 digits: cast it to VARCHAR");
            }
            return builder.Append(value);
        });
}

::arrow::Result<std::shared_ptr<::arrow::Array>> build_array(const ResultColumn& column,
                                                             const Cells& cells) {
    switch (column.type) {
        case ColumnType::boolean: return build_integers<::arrow::BooleanBuilder, bool>(cells);
        case ColumnType::int8: return build_integers<::arrow::Int8Builder, std::int8_t>(cells);
        case ColumnType::int16: return build_integers<::arrow::Int16Builder, std::int16_t>(cells);
        case ColumnType::int32: return build_integers<::arrow::Int32Builder, std::int32_t>(cells);
        case ColumnType::int64: return build_integers<::arrow::Int64Builder, std::int64_t>(cells);
        case ColumnType::uint8: return build_integers<::arrow::UInt8Builder, std::uint8_t>(cells);
        case ColumnType::uint16:
            return build_integers<::arrow::UInt16Builder, std::uint16_t>(cells);
        case ColumnType::uint32:
            return build_integers<::arrow::UInt32Builder, std::uint32_t>(cells);
        case ColumnType::uint64:
            return build_integers<::arrow::UInt64Builder, std::uint64_t>(cells);
        case ColumnType::float32: return build_floats<::arrow::FloatBuilder, float>(cells);
        case ColumnType::float64: return build_floats<::arrow::DoubleBuilder, double>(cells);
        case ColumnType::string: return build_texts<::arrow::StringBuilder>(cells);
        case ColumnType::binary: return build_texts<::arrow::BinaryBuilder>(cells);
        case ColumnType::date: return build_integers<::arrow::Date32Builder, std::int32_t>(cells);
        case ColumnType::timestamp:
            return build(
                ::arrow::TimestampBuilder(arrow_type(column), ::arrow::default_memory_pool()),
                cells, [&](::arrow::TimestampBuilder& builder, std::size_t row) {
                    return builder.Append(cells.integer_at(row));
                });
        case ColumnType::decimal: return build_decimals(column, cells);
    }
    return ::arrow::Status::NotImplemented("no such type");
}

}  // namespace

std::shared_ptr<::arrow::DataType> arrow_type(const ResultColumn& column) {
    switch (column.type) {
        case ColumnType::boolean: return ::arrow::boolean();
        case ColumnType::int8: return ::arrow::int8();
        case ColumnType::int16: return ::arrow::int16();
        case ColumnType::int32: return ::arrow::int32();
        case ColumnType::int64: return ::arrow::int64();
        case ColumnType::uint8: return ::arrow::uint8();
        case ColumnType::uint16: return ::arrow::uint16();
        case ColumnType::uint32: return ::arrow::uint32();
        case ColumnType::uint64: return ::arrow::uint64();
        case ColumnType::float32: return ::arrow::float32();
        case ColumnType::float64: return ::arrow::float64();
        case ColumnType::string: return ::arrow::utf8();
        case ColumnType::binary: return ::arrow::binary();
        case ColumnType::date: return ::arrow::date32();
        case ColumnType::timestamp:
            return ::arrow::timestamp(arrow_unit(column.unit), column.is_utc ? "UTC" : "");
        case ColumnType::decimal:
            return ::arrow::decimal128(std::min(column.decimal_precision, decimal_128_digits),
                                       column.decimal_scale);
    }
    return ::arrow::null();
}

Result<void> append_array(const ::arrow::Array& array, const ResultColumn& column, Cells& cells) {
    if (!array.type()->Equals(arrow_type(column))) {
        return Error(Code::corrupt, "Arrow: column " + format_quoted(column.name) + " is " +
                                        array.type()->ToString() + " in place of " +
                                        arrow_type(column)->ToString());
    }
    switch (column.type) {
        case ColumnType::boolean: append_integers<::arrow::BooleanArray>(array, cells); break;
        case ColumnType::int8: append_integers<::arrow::Int8Array>(array, cells); break;
        case ColumnType::int16: append_integers<::arrow::Int16Array>(array, cells); break;
        case ColumnType::int32: append_integers<::arrow::Int32Array>(array, cells); break;
        case ColumnType::int64: append_integers<::arrow::Int64Array>(array, cells); break;
        case ColumnType::uint8: append_integers<::arrow::UInt8Array>(array, cells); break;
        case ColumnType::uint16: append_integers<::arrow::UInt16Array>(array, cells); break;
        case ColumnType::uint32: append_integers<::arrow::UInt32Array>(array, cells); break;
        case ColumnType::uint64: append_integers<::arrow::UInt64Array>(array, cells); break;
        case ColumnType::float32: append_floats<::arrow::FloatArray>(array, cells); break;
        case ColumnType::float64: append_floats<::arrow::DoubleArray>(array, cells); break;
        case ColumnType::string: append_texts<::arrow::StringArray>(array, cells); break;
        case ColumnType::binary: append_texts<::arrow::BinaryArray>(array, cells); break;
        case ColumnType::date: append_integers<::arrow::Date32Array>(array, cells); break;
        case ColumnType::timestamp: append_integers<::arrow::TimestampArray>(array, cells); break;
        case ColumnType::decimal: append_decimals(array, cells); break;
    }
    return {};
}

Result<std::shared_ptr<::arrow::Array>> make_array(const ResultColumn& column, const Cells& cells) {
    auto built = build_array(column, cells);
    if (built.ok()) return *std::move(built);
    if (built.status().IsInvalid()) {
        return Error(Code::invalid_argument, format_quoted(built.status().message()));
    }
    return error_of(built.status());
}

Error error_of(const ::arrow::Status& status) {
    constexpr std::size_t size_max = 2'000;
    const std::string message = "Arrow: " + format_quoted(status.message(), size_max);
    if (status.IsOutOfMemory() || status.IsCapacityError()) return {Code::exhausted, message};
    if (status.IsCancelled()) return {Code::cancelled, message};
    if (status.IsNotImplemented()) return {Code::unsupported, message};
    if (status.IsIOError() && status.detail() != nullptr) {
        // The machine said why; Arrow has no code of its own for a file that is not there.
        const std::string reason = status.detail()->ToString();
        if (reason.find("[errno 2]") != std::string::npos) return {Code::not_found, message};
        if (reason.find("[errno 28]") != std::string::npos) return {Code::exhausted, message};
        return {Code::unavailable, message};
    }
    return {Code::corrupt, message};
}

}  // namespace highwater::engine
