#include "testkit/handmade_parquet.h"

#include <bit>

#include "base/assert.h"

namespace highwater::testkit {

namespace {

enum CompactType {
    type_true = 1,
    type_false = 2,
    type_i8 = 3,
    type_i32 = 5,
    type_i64 = 6,
    type_binary = 8,
    type_list = 9,
    type_struct = 12
};

void append_varint(Bytes& bytes, std::uint64_t value) {
    while (value >= 0x80) {
        bytes.push_back(static_cast<char>(value | 0x80));
        value >>= 7U;
    }
    bytes.push_back(static_cast<char>(value));
}

void append_zigzag(Bytes& bytes, std::int64_t value) {
    append_varint(
        bytes, static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63));
}

void append_little(Bytes& bytes, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
}

std::size_t rows_of(const HandmadeFile& file) {
    return file.columns.empty() ? 0 : file.columns.front().values.size();
}

/// Levels, when the column has them, and values of one data page of version 1.
Bytes page_body(const HandmadeColumn& column) {
    Bytes levels;
    Bytes values;
    for (const auto& value : column.values) {
        append_varint(levels, 1U << 1U);  // A run of one.
        levels.push_back(value ? '\1' : '\0');
        if (value) values += *value;
    }
    if (column.repetition == 0) return values;
    Bytes body;
    append_little(body, levels.size(), 4);
    return body + levels + values;
}

Bytes page_of(const HandmadeColumn& column) {
    constexpr std::int32_t rle = 3;
    const Bytes body = page_body(column);
    const auto size = static_cast<std::int64_t>(body.size());
    ThriftStruct data;
    data.add_i32(1, static_cast<std::int64_t>(column.values.size()))
        .add_i32(2, column.encoding)
        .add_i32(3, rle)
        .add_i32(4, rle);
    ThriftStruct header;
    header.add_i32(1, 0)
        .add_i32(2, size + column.claimed_page_size_more)
        .add_i32(3, size)
        .add_struct(5, data);
    return header.bytes() + body;
}

ThriftStruct schema_element_of(const HandmadeColumn& column) {
    ThriftStruct element;
    element.add_i32(1, column.physical);
    if (column.type_length > 0) element.add_i32(2, column.type_length);
    element.add_i32(3, column.repetition).add_text(4, column.name);
    if (column.decimal_precision) {
        constexpr int converted_decimal = 5;
        element.add_i32(6, converted_decimal)
            .add_i32(7, column.decimal_scale)
            .add_i32(8, *column.decimal_precision);
    }
    if (column.field_id > 0) element.add_i32(9, column.field_id);
    if (column.logical_type) element.add_struct(10, *column.logical_type);
    return element;
}

ThriftStruct chunk_of(const HandmadeColumn& column, std::size_t offset, std::size_t size) {
    ThriftStruct metadata;
    metadata.add_i32(1, column.physical)
        .add_i32s(2, {column.encoding, 3})
        .add_texts(3, {column.name})
        .add_i32(4, column.codec)
        .add_i64(5, static_cast<std::int64_t>(column.values.size()) + column.claimed_values_more)
        .add_i64(6, static_cast<std::int64_t>(size))
        .add_i64(7, static_cast<std::int64_t>(size))
        .add_i64(9, static_cast<std::int64_t>(offset) + column.claimed_offset_more);
    ThriftStruct chunk;
    if (!column.file_path.empty()) chunk.add_text(1, column.file_path);
    return chunk.add_i64(2, static_cast<std::int64_t>(offset)).add_struct(3, metadata);
}

}  // namespace

void ThriftStruct::begin(int id, int type) {
    ASSERT(id > last_id_);
    if (id - last_id_ <= 15) {
        bytes_.push_back(static_cast<char>((id - last_id_) << 4 | type));
    } else {
        bytes_.push_back(static_cast<char>(type));
        append_zigzag(bytes_, id);
    }
    last_id_ = id;
}

void ThriftStruct::begin_list(int id, int element_type, std::size_t count) {
    begin(id, type_list);
    if (count < 15) {
        bytes_.push_back(static_cast<char>(count << 4U | static_cast<unsigned>(element_type)));
    } else {
        bytes_.push_back(static_cast<char>(0xF0 | element_type));
        append_varint(bytes_, count);
    }
}

ThriftStruct& ThriftStruct::add_bool(int id, bool value) {
    begin(id, value ? type_true : type_false);
    return *this;
}

ThriftStruct& ThriftStruct::add_i8(int id, std::int8_t value) {
    begin(id, type_i8);
    bytes_.push_back(static_cast<char>(value));
    return *this;
}

ThriftStruct& ThriftStruct::add_i32(int id, std::int64_t value) {
    begin(id, type_i32);
    append_zigzag(bytes_, value);
    return *this;
}

ThriftStruct& ThriftStruct::add_i64(int id, std::int64_t value) {
    begin(id, type_i64);
    append_zigzag(bytes_, value);
    return *this;
}

ThriftStruct& ThriftStruct::add_text(int id, BytesView value) {
    begin(id, type_binary);
    append_varint(bytes_, value.size());
    bytes_.append(value);
    return *this;
}

ThriftStruct& ThriftStruct::add_struct(int id, const ThriftStruct& value) {
    begin(id, type_struct);
    bytes_ += value.bytes();
    return *this;
}

ThriftStruct& ThriftStruct::add_structs(int id, const std::vector<ThriftStruct>& values) {
    begin_list(id, type_struct, values.size());
    for (const ThriftStruct& value : values) bytes_ += value.bytes();
    return *this;
}

ThriftStruct& ThriftStruct::add_i32s(int id, const std::vector<std::int32_t>& values) {
    begin_list(id, type_i32, values.size());
    for (const std::int32_t value : values) append_zigzag(bytes_, value);
    return *this;
}

ThriftStruct& ThriftStruct::add_texts(int id, const std::vector<std::string>& values) {
    begin_list(id, type_binary, values.size());
    for (const std::string& value : values) {
        append_varint(bytes_, value.size());
        bytes_ += value;
    }
    return *this;
}

Bytes make_handmade_parquet(const HandmadeFile& file) {
    const auto rows = static_cast<std::int64_t>(rows_of(file));
    ThriftStruct root;
    root.add_text(4, "schema").add_i32(5, static_cast<std::int64_t>(file.columns.size()));
    std::vector<ThriftStruct> schema{root};
    std::vector<ThriftStruct> chunks;
    Bytes bytes = "PAR1";
    for (const HandmadeColumn& column : file.columns) {
        const Bytes page = page_of(column);
        schema.push_back(schema_element_of(column));
        chunks.push_back(chunk_of(column, bytes.size(), page.size()));
        bytes += page;
    }
    ThriftStruct group;
    group.add_structs(1, chunks)
        .add_i64(2, static_cast<std::int64_t>(bytes.size()))
        .add_i64(3, rows);
    ThriftStruct metadata;
    metadata.add_i32(1, 1)
        .add_structs(2, schema)
        .add_i64(3, rows + file.claimed_rows_more)
        .add_structs(4, {group})
        .add_text(6, file.created_by);
    const Bytes footer = metadata.bytes();
    bytes += footer;
    append_little(bytes, footer.size(), 4);
    return bytes + "PAR1";
}

ThriftStruct timestamp_type(bool is_utc_adjusted, int unit) {
    ThriftStruct units;
    units.add_struct(unit, ThriftStruct());
    ThriftStruct timestamp;
    timestamp.add_bool(1, is_utc_adjusted).add_struct(2, units);
    return ThriftStruct().add_struct(8, timestamp);
}

ThriftStruct simple_type(int number) {
    return ThriftStruct().add_struct(number, ThriftStruct());
}

ThriftStruct integer_type(std::int8_t width, bool is_signed) {
    ThriftStruct integer;
    integer.add_i8(1, width).add_bool(2, is_signed);
    return ThriftStruct().add_struct(10, integer);
}

ThriftStruct decimal_type(std::int32_t precision, std::int32_t scale) {
    ThriftStruct decimal;
    decimal.add_i32(1, scale).add_i32(2, precision);
    return ThriftStruct().add_struct(5, decimal);
}

Bytes plain_i32(std::int32_t value) {
    Bytes bytes;
    append_little(bytes, static_cast<std::uint32_t>(value), 4);
    return bytes;
}

Bytes plain_i64(std::int64_t value) {
    Bytes bytes;
    append_little(bytes, static_cast<std::uint64_t>(value), 8);
    return bytes;
}

Bytes plain_double(double value) {
    return plain_i64(std::bit_cast<std::int64_t>(value));
}

Bytes plain_text(BytesView value) {
    return plain_i32(static_cast<std::int32_t>(value.size())) + Bytes(value);
}

Bytes plain_int96(std::uint64_t ns_of_day, std::uint32_t julian_day) {
    Bytes bytes;
    append_little(bytes, ns_of_day, 8);
    append_little(bytes, julian_day, 4);
    return bytes;
}

}  // namespace highwater::testkit
