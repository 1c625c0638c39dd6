#include "model/schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

#include "base/text.h"
#include "base/try.h"

namespace highwater::model {

namespace {

constexpr std::int32_t decimal_precision_max = 38;
constexpr std::array<std::string_view, 2> reserved_names{"hour", "filename"};

constexpr std::array<std::pair<ColumnType, std::string_view>, 16> type_names{
    {{ColumnType::boolean, "boolean"},
     {ColumnType::int8, "int8"},
     {ColumnType::int16, "int16"},
     {ColumnType::int32, "int32"},
     {ColumnType::int64, "int64"},
     {ColumnType::uint8, "uint8"},
     {ColumnType::uint16, "uint16"},
     {ColumnType::uint32, "uint32"},
     {ColumnType::uint64, "uint64"},
     {ColumnType::float32, "float32"},
     {ColumnType::float64, "float64"},
     {ColumnType::string, "string"},
     {ColumnType::binary, "binary"},
     {ColumnType::date, "date"},
     {ColumnType::timestamp, "timestamp"},
     {ColumnType::decimal, "decimal"}}};

constexpr std::array<std::pair<TimeUnit, std::string_view>, 3> unit_names{
    {{TimeUnit::millisecond, "millisecond"},
     {TimeUnit::microsecond, "microsecond"},
     {TimeUnit::nanosecond, "nanosecond"}}};

template <typename Names, typename Value>
std::string_view find_name(const Names& names, Value value) {
    for (const auto& [known, name] : names) {
        if (known == value) return name;
    }
    return "unknown";
}

/// SQL does not tell names apart that differ in the case of ASCII letters alone.
std::string fold_case(std::string_view name) {
    std::string folded(name);
    for (char& letter : folded) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return folded;
}

Error bad_column(const Column& column, const std::string& why) {
    return {Code::invalid_argument, "column '" + format_quoted(column.name) + "': " + why};
}

Result<void> verify_name(const Column& column) {
    const std::string& name = column.name;
    if (name.empty()) return bad_column(column, "a name is needed");
    if (name.size() > column_name_size_max) {
        return bad_column(
            column, "the name has more than " + std::to_string(column_name_size_max) + " bytes");
    }
    if (!is_utf8(name)) return bad_column(column, "the name is not UTF-8");
    if (std::any_of(name.begin(), name.end(), [](char byte) {
            return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
        })) {
        return bad_column(column, "a control character in the name");
    }
    const std::string folded = fold_case(name);
    for (const auto reserved : reserved_names) {
        if (folded == reserved) return bad_column(column, "the name is reserved");
    }
    return {};
}

Result<void> verify_decimal(const Column& column) {
    const std::int32_t precision = column.decimal_precision;
    const std::int32_t scale = column.decimal_scale;
    if (column.type != ColumnType::decimal) {
        if (precision == 0 && scale == 0) return {};
        return bad_column(column, "precision and scale are for decimals");
    }
    if (precision < 1 || precision > decimal_precision_max) {
        return bad_column(column, "the precision of a decimal is 1 to 38");
    }
    if (scale < 0 || scale > precision) {
        return bad_column(column, "the scale of a decimal is 0 to its precision");
    }
    return {};
}

std::optional<std::int32_t> parse_number(std::string_view text) {
    std::int32_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Takes "decimal(10,2)" and every plain type but "decimal".
bool parse_type_of(std::string_view text, Column& column) {
    const auto open = text.find('(');
    const auto type = parse_column_type(text.substr(0, open));
    if (!type) return false;
    column.type = *type;
    if (*type != ColumnType::decimal) return open == text.npos;
    const auto comma = text.find(',');
    if (open == text.npos || comma == text.npos || comma < open || text.back() != ')') return false;
    const auto precision = parse_number(text.substr(open + 1, comma - open - 1));
    const auto scale = parse_number(text.substr(comma + 1, text.size() - comma - 2));
    if (!precision || !scale) return false;
    column.decimal_precision = *precision;
    column.decimal_scale = *scale;
    return true;
}

/// The rank of a type among those of its kind, which widen from rank to rank: signed and unsigned
/// integers and floats. Nothing widens across kinds.
struct Width {
    enum class Kind : std::uint8_t { none, signed_integer, unsigned_integer, floating } kind;
    int rank;
};

Width width_of(ColumnType type) {
    using Kind = Width::Kind;
    switch (type) {
        case ColumnType::int8: return {Kind::signed_integer, 8};
        case ColumnType::int16: return {Kind::signed_integer, 16};
        case ColumnType::int32: return {Kind::signed_integer, 32};
        case ColumnType::int64: return {Kind::signed_integer, 64};
        case ColumnType::uint8: return {Kind::unsigned_integer, 8};
        case ColumnType::uint16: return {Kind::unsigned_integer, 16};
        case ColumnType::uint32: return {Kind::unsigned_integer, 32};
        case ColumnType::uint64: return {Kind::unsigned_integer, 64};
        case ColumnType::float32: return {Kind::floating, 32};
        case ColumnType::float64: return {Kind::floating, 64};
        default: return {Kind::none, 0};
    }
}

}  // namespace

const Column* Schema::find(std::string_view name) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

bool is_lossless(ColumnType from, ColumnType to) {
    if (from == to) return true;
    const Width narrow = width_of(from);
    const Width wide = width_of(to);
    return narrow.kind != Width::Kind::none && narrow.kind == wide.kind && narrow.rank < wide.rank;
}

std::string_view to_text(ColumnType type) {
    return find_name(type_names, type);
}

std::string_view to_text(TimeUnit unit) {
    return find_name(unit_names, unit);
}

std::optional<ColumnType> parse_column_type(std::string_view text) {
    for (const auto& [type, name] : type_names) {
        if (name == text) return type;
    }
    return std::nullopt;
}

std::optional<TimeUnit> parse_time_unit(std::string_view text) {
    for (const auto& [unit, name] : unit_names) {
        if (name == text) return unit;
    }
    return std::nullopt;
}

Result<Column> parse_column(std::string_view text) {
    // The last colon: a name may have some of its own, a type has none.
    const auto colon = text.rfind(':');
    Column column;
    column.name = text.substr(0, colon);
    std::string_view type = colon == text.npos ? "" : text.substr(colon + 1);
    if (type.ends_with('!')) {
        column.nullable = false;
        type.remove_suffix(1);
    }
    if (!parse_type_of(type, column)) {
        return Error(
            Code::invalid_argument,
            "not a column such as value:float64, time:timestamp! or price:decimal(10,2): " +
                format_quoted(text));
    }
    TRY(verify_name(column));
    TRY(verify_decimal(column));
    return column;
}

std::string format_column(const Column& column) {
    std::string text = column.name + ":" + std::string(to_text(column.type));
    if (column.type == ColumnType::decimal) {
        text += "(" + std::to_string(column.decimal_precision) + "," +
                std::to_string(column.decimal_scale) + ")";
    }
    return text + (column.nullable ? "" : "!");
}

Result<void> verify_schema(const Schema& schema) {
    if (schema.columns.size() > columns_max) {
        return Error(Code::invalid_argument, "a table has at most " + std::to_string(columns_max) +
                                                 " columns, not " +
                                                 std::to_string(schema.columns.size()));
    }
    std::set<std::string> names;
    std::int32_t last_id = 0;
    for (const Column& column : schema.columns) {
        TRY(verify_name(column));
        TRY(verify_decimal(column));
        if (column.id <= last_id) return bad_column(column, "ids are positive and ascend");
        last_id = column.id;
        if (!names.insert(fold_case(column.name)).second) {
            return bad_column(column, "the name is there twice (letters of both cases are alike)");
        }
    }
    const Column* const time = schema.find(schema.time_column);
    if (time == nullptr) {
        return Error(Code::invalid_argument,
                     "the time column '" + format_quoted(schema.time_column) + "' is not there");
    }
    if (time->type != ColumnType::timestamp) {
        return bad_column(*time, "the time column is a timestamp");
    }
    if (time->nullable) return bad_column(*time, "the time column is not nullable");
    return {};
}

Result<Schema> add_column(const Schema& schema, Column column) {
    if (!column.nullable) {
        return bad_column(column, "an added column is nullable: older rows have no value");
    }
    const std::int32_t last_id = schema.columns.empty() ? 0 : schema.columns.back().id;
    if (last_id == std::numeric_limits<std::int32_t>::max()) {
        return bad_column(column, "no id is left");
    }
    column.id = last_id + 1;
    Schema wider = schema;
    wider.columns.push_back(std::move(column));
    TRY(verify_schema(wider));
    return wider;
}

}  // namespace highwater::model
