#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace highwater::testkit {

/// The fields of one Thrift struct in the compact protocol, ended. Field ids must ascend.
class ThriftStruct {
public:
    ThriftStruct& add_bool(int id, bool value);
    ThriftStruct& add_i8(int id, std::int8_t value);
    ThriftStruct& add_i32(int id, std::int64_t value);
    ThriftStruct& add_i64(int id, std::int64_t value);
    ThriftStruct& add_text(int id, BytesView value);
    ThriftStruct& add_struct(int id, const ThriftStruct& value);
    ThriftStruct& add_structs(int id, const std::vector<ThriftStruct>& values);
    ThriftStruct& add_i32s(int id, const std::vector<std::int32_t>& values);
    ThriftStruct& add_texts(int id, const std::vector<std::string>& values);

    Bytes bytes() const { return bytes_ + '\0'; }

private:
    void begin(int id, int type);
    void begin_list(int id, int element_type, std::size_t count);

    Bytes bytes_;
    int last_id_ = 0;
};

/// Numbers of parquet.thrift.
namespace parquet_physical {
constexpr int int32 = 1;
constexpr int int64 = 2;
constexpr int int96 = 3;
constexpr int float32 = 4;
constexpr int float64 = 5;
constexpr int byte_array = 6;
constexpr int fixed = 7;
}  // namespace parquet_physical

/// One column of a handmade file. `values` are PLAIN encoded, a null is nothing.
struct HandmadeColumn {
    std::string name = {};
    int physical = parquet_physical::int64;
    int type_length = 0;
    int repetition = 0;  // 0 required, 1 optional, 2 repeated
    int field_id = 0;
    std::optional<ThriftStruct> logical_type;  // The union of parquet.thrift.
    std::optional<std::int32_t> decimal_precision = std::nullopt;
    std::int32_t decimal_scale = 0;
    std::vector<std::optional<Bytes>> values = {};
    std::int32_t encoding = 0;                // PLAIN
    std::int32_t codec = 0;                   // UNCOMPRESSED
    std::int64_t claimed_values_more = 0;     // Added to the count that the footer claims.
    std::int64_t claimed_page_size_more = 0;  // Added to the uncompressed size of its page.
    std::int64_t claimed_offset_more = 0;     // Added to the offset that the footer claims.
    std::string file_path = {};
};

struct HandmadeFile {
    std::vector<HandmadeColumn> columns;
    std::string created_by = "handmade";
    std::int64_t claimed_rows_more = 0;
};

/// The bytes of a Parquet file with one row group and one page a column, made without any Parquet
/// library: an oracle of its own, and files that no library would write.
///
/// Source: https://github.com/apache/parquet-format (parquet.thrift, Encodings.md)
Bytes make_handmade_parquet(const HandmadeFile& file);

/// The union LogicalType: a timestamp of unit 1 ms, 2 us, 3 ns.
ThriftStruct timestamp_type(bool is_utc_adjusted, int unit);
/// A logical type without parameters by its number: 1 string, 6 date, 14 UUID, 15 float16 ...
ThriftStruct simple_type(int number);
ThriftStruct integer_type(std::int8_t width, bool is_signed);
ThriftStruct decimal_type(std::int32_t precision, std::int32_t scale);

/// PLAIN encodings.
Bytes plain_i32(std::int32_t value);
Bytes plain_i64(std::int64_t value);
Bytes plain_double(double value);
Bytes plain_text(BytesView value);
Bytes plain_int96(std::uint64_t ns_of_day, std::uint32_t julian_day);

}  // namespace highwater::testkit
