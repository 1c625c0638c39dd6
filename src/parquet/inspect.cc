#include "parquet/inspect.h"

#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "base/try.h"
#include "parquet/file.h"
#include "parquet/rows.h"
#include "parquet/write.h"

namespace highwater::parquet {

namespace {

using ::parquet::LogicalType;
using PhysicalType = ::parquet::Type;

constexpr std::string_view magic = "PAR1";
constexpr std::string_view encrypted_magic = "PARE";
constexpr std::uint64_t trailer_size = 8;  // The footer's length and the magic.
constexpr std::uint64_t file_size_min = magic.size() + trailer_size;
constexpr std::uint64_t tail_size = std::uint64_t{64} << 10U;

Error broken(std::string reason) {
    return Error(Code::corrupt, std::move(reason));
}

Error unsupported(std::string reason) {
    return Error(Code::unsupported, std::move(reason));
}

std::string quoted_name(const ::parquet::ColumnDescriptor& column) {
    return "'" + format_quoted(column.path()->ToDotString()) + "'";
}

std::uint32_t decode_u32(BytesView bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// The footer's bytes, after what frames them was checked.
Result<Bytes> load_footer_bytes(File& file) {
    const std::uint64_t size = file.size_bytes();
    if (size < file_size_min) {
        return broken("the file has " + std::to_string(size) +
                      " bytes, fewer than any Parquet file");
    }
    const std::uint64_t tail_offset = size - std::min(size, tail_size);
    const Bytes tail = TRY(file.read(tail_offset, size - tail_offset));
    const BytesView trailer = BytesView(tail).substr(tail.size() - trailer_size);
    if (trailer.substr(4) == encrypted_magic) return unsupported("the footer is encrypted");
    if (trailer.substr(4) != magic) return broken("the file does not end with the magic PAR1");
    const Bytes head =
        tail_offset == 0 ? tail.substr(0, magic.size()) : TRY(file.read(0, magic.size()));
    if (head != magic) return broken("the file does not begin with the magic PAR1");

    const std::uint64_t footer_size = decode_u32(trailer);
    if (footer_size > size - file_size_min) {
        return broken("the footer claims " + std::to_string(footer_size) +
                      " bytes, more than the file has");
    }
    if (footer_size > footer_size_max) {
        return unsupported(
            "the footer has " + std::to_string(footer_size) +
            " bytes, more than footer_size_max = " + std::to_string(footer_size_max));
    }
    if (footer_size + trailer_size <= tail.size()) {
        return tail.substr(tail.size() - trailer_size - footer_size, footer_size);
    }
    return file.read(size - trailer_size - footer_size, footer_size);
}

std::optional<model::ColumnType> integer_type(int width, bool is_signed) {
    using model::ColumnType;
    switch (width) {
        case 8: return is_signed ? ColumnType::int8 : ColumnType::uint8;
        case 16: return is_signed ? ColumnType::int16 : ColumnType::uint16;
        case 32: return is_signed ? ColumnType::int32 : ColumnType::uint32;
        case 64: return is_signed ? ColumnType::int64 : ColumnType::uint64;
        default: return std::nullopt;
    }
}

std::optional<model::TimeUnit> unit_of(LogicalType::TimeUnit::unit unit) {
    switch (unit) {
        case LogicalType::TimeUnit::MILLIS: return model::TimeUnit::millisecond;
        case LogicalType::TimeUnit::MICROS: return model::TimeUnit::microsecond;
        case LogicalType::TimeUnit::NANOS: return model::TimeUnit::nanosecond;
        default: return std::nullopt;
    }
}

std::optional<model::ColumnType> plain_type(PhysicalType::type physical) {
    using model::ColumnType;
    switch (physical) {
        case PhysicalType::BOOLEAN: return ColumnType::boolean;
        case PhysicalType::INT32: return ColumnType::int32;
        case PhysicalType::INT64: return ColumnType::int64;
        case PhysicalType::FLOAT: return ColumnType::float32;
        case PhysicalType::DOUBLE: return ColumnType::float64;
        case PhysicalType::BYTE_ARRAY:
        case PhysicalType::FIXED_LEN_BYTE_ARRAY: return ColumnType::binary;
        default: return std::nullopt;
    }
}

/// Sets type, unit and precision of `column` from what the footer annotates it with.
void set_type(FileColumn& column, const LogicalType& logical, PhysicalType::type physical) {
    using model::ColumnType;
    if (physical == PhysicalType::INT96) {
        column.is_int96 = true;
        column.type = ColumnType::timestamp;
        column.unit = model::TimeUnit::nanosecond;
        return;
    }
    switch (logical.type()) {
        case LogicalType::Type::NONE: column.type = plain_type(physical); return;
        case LogicalType::Type::STRING:
        case LogicalType::Type::ENUM:
        case LogicalType::Type::JSON: column.type = ColumnType::string; return;
        case LogicalType::Type::DATE: column.type = ColumnType::date; return;
        case LogicalType::Type::INT: {
            const auto& integer = dynamic_cast<const ::parquet::IntLogicalType&>(logical);
            column.type = integer_type(integer.bit_width(), integer.is_signed());
            return;
        }
        case LogicalType::Type::TIMESTAMP: {
            const auto& time = dynamic_cast<const ::parquet::TimestampLogicalType&>(logical);
            column.unit = unit_of(time.time_unit());
            column.is_utc_adjusted = time.is_adjusted_to_utc();
            if (column.unit) column.type = ColumnType::timestamp;
            return;
        }
        case LogicalType::Type::DECIMAL: {
            const auto& decimal = dynamic_cast<const ::parquet::DecimalLogicalType&>(logical);
            column.decimal_precision = decimal.precision();
            column.decimal_scale = decimal.scale();
            if (decimal.precision() <= 38) column.type = ColumnType::decimal;
            return;
        }
        default: return;
    }
}

Result<FileColumn> describe(const ::parquet::ColumnDescriptor& descriptor) {
    if (descriptor.max_repetition_level() > 0 || descriptor.path()->ToDotVector().size() != 1) {
        return unsupported("column " + quoted_name(descriptor) + " is nested or repeated");
    }
    if (descriptor.physical_type() >= PhysicalType::UNDEFINED) {
        return unsupported("column " + quoted_name(descriptor) + " has an unknown physical type");
    }
    const auto& logical = descriptor.logical_type();
    if (!logical || logical->is_invalid()) {
        return unsupported("column " + quoted_name(descriptor) + " has an unknown logical type");
    }
    FileColumn column;
    column.name = descriptor.name();
    column.field_id = std::max(descriptor.schema_node()->field_id(), 0);
    column.nullable = descriptor.max_definition_level() > 0;
    column.type_text = ::parquet::TypeToString(descriptor.physical_type());
    if (!logical->is_none()) column.type_text += " " + logical->ToString();
    column.type_text = format_quoted(column.type_text);
    set_type(column, *logical, descriptor.physical_type());
    return column;
}

Result<std::vector<FileColumn>> describe_columns(const ::parquet::FileMetaData& metadata) {
    const auto count = static_cast<std::size_t>(std::max(metadata.num_columns(), 0));
    if (count == 0) return broken("the file has no columns");
    if (count > model::columns_max) {
        return unsupported("the file has " + std::to_string(count) + " columns, more than " +
                           std::to_string(model::columns_max));
    }
    std::vector<FileColumn> columns;
    columns.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        columns.push_back(TRY(describe(*metadata.schema()->Column(static_cast<int>(i)))));
    }
    return columns;
}

bool is_known(::parquet::Encoding::type encoding) {
    using ::parquet::Encoding;
    switch (encoding) {
        case Encoding::PLAIN:
        case Encoding::PLAIN_DICTIONARY:
        case Encoding::RLE:
        case Encoding::BIT_PACKED:
        case Encoding::DELTA_BINARY_PACKED:
        case Encoding::DELTA_LENGTH_BYTE_ARRAY:
        case Encoding::DELTA_BYTE_ARRAY:
        case Encoding::RLE_DICTIONARY:
        case Encoding::BYTE_STREAM_SPLIT: return true;
        default: return false;
    }
}

/// Checks one column chunk against its row group and the file it lies in.
Result<void> verify_chunk(const ::parquet::ColumnChunkMetaData& chunk, std::int64_t rows,
                          std::uint64_t data_end, const std::string& name) {
    if (chunk.crypto_metadata()) return unsupported("column " + name + " is encrypted");
    if (!chunk.file_path().empty()) return unsupported("column " + name + " lies in another file");
    if (!chunk.can_decompress()) {
        return unsupported("column " + name + " is compressed with an unknown codec");
    }
    for (const auto encoding : chunk.encodings()) {
        if (!is_known(encoding)) return unsupported("column " + name + " has an unknown encoding");
    }
    if (chunk.num_values() != rows) {
        return broken("column " + name + " claims " + std::to_string(chunk.num_values()) +
                      " values in a row group of " + std::to_string(rows));
    }
    std::int64_t begin = chunk.data_page_offset();
    if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
        begin = std::min(begin, chunk.dictionary_page_offset());
    }
    const std::int64_t size = chunk.total_compressed_size();
    const auto end = static_cast<std::int64_t>(data_end);
    if (begin < 0 || size < 0 || begin > end || size > end - begin) {
        return broken("column " + name + " claims bytes outside the file");
    }
    return {};
}

Result<void> verify_row_groups(const ::parquet::FileMetaData& metadata, std::uint64_t data_end) {
    if (metadata.num_rows() > static_cast<std::int64_t>(file_rows_max)) {
        return unsupported("the file claims " + std::to_string(metadata.num_rows()) +
                           " rows, more than file_rows_max = " + std::to_string(file_rows_max));
    }
    std::int64_t rows = 0;
    for (int i = 0; i < metadata.num_row_groups(); ++i) {
        const auto group = metadata.RowGroup(i);
        if (group->num_rows() < 0 || __builtin_add_overflow(rows, group->num_rows(), &rows)) {
            return broken("row group " + std::to_string(i) + " claims an impossible row count");
        }
        if (group->num_columns() != metadata.num_columns()) {
            return broken("row group " + std::to_string(i) + " lacks columns");
        }
        for (int column = 0; column < group->num_columns(); ++column) {
            TRY(verify_chunk(*group->ColumnChunk(column), group->num_rows(), data_end,
                             quoted_name(*metadata.schema()->Column(column))));
        }
    }
    if (rows != metadata.num_rows()) {
        return broken("the footer claims " + std::to_string(metadata.num_rows()) +
                      " rows, its row groups " + std::to_string(rows));
    }
    return {};
}

/// Bounds of column `index` over all row groups; nothing when any of them does not say.
std::optional<FileFacts::TimeStatistics> find_times(const ::parquet::FileMetaData& metadata,
                                                    int index, model::TimeUnit unit) {
    std::optional<FileFacts::TimeStatistics> times;
    for (int i = 0; i < metadata.num_row_groups(); ++i) {
        const auto group = metadata.RowGroup(i);
        if (group->num_rows() == 0) continue;
        const auto chunk = group->ColumnChunk(index);
        const auto statistics = chunk->is_stats_set() ? chunk->statistics() : nullptr;
        const auto typed =
            std::dynamic_pointer_cast<::parquet::TypedStatistics<::parquet::Int64Type>>(statistics);
        if (!typed || !typed->HasMinMax() || !typed->HasNullCount() || typed->null_count() < 0) {
            return std::nullopt;
        }
        const auto min = to_time(typed->min(), unit);
        const auto max = to_time(typed->max(), unit);
        if (!min || !max) return std::nullopt;
        if (!times) times = {*min, *max, 0};
        times->min_time = std::min(times->min_time, *min);
        times->max_time = std::max(times->max_time, *max);
        times->null_count += static_cast<std::uint64_t>(typed->null_count());
    }
    return times;
}

/// Everything that can go wrong with bytes comes back as an error of `corrupt` or `unsupported`.
Result<void> read_footer(File& file, std::string_view time_column, Footer& footer) {
    const Bytes bytes = TRY(load_footer_bytes(file));
    footer.size_bytes = bytes.size();
    return file.guard([&]() -> Result<void> {
        footer.metadata = ::parquet::FileMetaData::Make(
            bytes.data(), static_cast<std::int64_t>(bytes.size()), file.properties(bytes.size()));
        const ::parquet::FileMetaData& metadata = *footer.metadata;
        if (metadata.is_encryption_algorithm_set()) return unsupported("the file is encrypted");
        footer.facts.columns = TRY(describe_columns(metadata));
        TRY(verify_row_groups(metadata, file.size_bytes() - trailer_size - bytes.size()));
        footer.facts.record_count = static_cast<std::uint64_t>(metadata.num_rows());
        footer.facts.created_by = format_quoted(metadata.created_by());
        footer.facts.is_ours = metadata.created_by().starts_with(created_by_prefix);
        const auto& columns = footer.facts.columns;
        const auto time =
            std::find_if(columns.begin(), columns.end(), [&](const FileColumn& column) {
                return column.name == time_column && column.unit && !column.is_int96;
            });
        if (!time_column.empty() && time != columns.end()) {
            footer.facts.times = find_times(
                metadata, static_cast<int>(std::distance(columns.begin(), time)), *time->unit);
        }
        return {};
    });
}

}  // namespace

std::string_view to_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::readable: return "readable";
        case Verdict::footer_invalid: return "footer_invalid";
        case Verdict::unsupported: return "unsupported";
    }
    return "unknown";
}

Result<Footer> load_footer(File& file, std::string_view time_column) {
    Footer footer;
    const auto read = read_footer(file, time_column, footer);
    if (read.ok()) return footer;
    const Code code = read.error().code();
    if (code != Code::corrupt && code != Code::unsupported) return read.error();
    Footer refused;
    refused.facts.verdict = code == Code::corrupt ? Verdict::footer_invalid : Verdict::unsupported;
    refused.facts.reason = read.error().message();
    return refused;
}

Result<FileFacts> inspect_file(const object::Reader& reader, std::string_view time_column) {
    File file(reader);
    return TRY(load_footer(file, time_column)).facts;
}

}  // namespace highwater::parquet
