#include "stage/run.h"

#include <bit>
#include <cstdint>

#include "base/try.h"

namespace highwater::stage {

namespace {

void append_little(Bytes& bytes, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        bytes.push_back(static_cast<char>(value & 0xFFU));
        value >>= 8U;
    }
}

std::uint64_t decode_little(BytesView bytes, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

Error broken() {
    return Error(Code::corrupt, "a run of sorted rows is not as it was written");
}

Result<BytesView> take(BytesView& bytes, std::size_t size) {
    if (bytes.size() < size) return broken();
    const BytesView taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
}

Result<void> take_cell(BytesView& bytes, parquet::Cells& cells) {
    if (TRY(take(bytes, 1)).front() != 0) {
        cells.append_null();
        return {};
    }
    const std::uint64_t word = decode_little(TRY(take(bytes, 8)), 8);
    switch (parquet::storage_of(cells.type())) {
        case parquet::Storage::integer:
            cells.append_integer(static_cast<std::int64_t>(word));
            return {};
        case parquet::Storage::floating:
            cells.append_floating(std::bit_cast<double>(word));
            return {};
        case parquet::Storage::bytes: break;
    }
    const bool is_decimal = cells.type() == model::ColumnType::decimal;
    if (is_decimal && word != parquet::decimal_size_bytes) return broken();
    cells.append_bytes(TRY(take(bytes, word)));
    return {};
}

}  // namespace

void append_run_row(const parquet::RowBatch& batch, std::size_t row, Bytes& bytes) {
    const std::size_t begin = bytes.size();
    bytes.append(run_prefix_size, '\0');
    for (const parquet::Cells& cells : batch.columns) {
        bytes.push_back(cells.is_null(row) ? '\1' : '\0');
        if (cells.is_null(row)) continue;
        switch (parquet::storage_of(cells.type())) {
            case parquet::Storage::integer:
                append_little(bytes, static_cast<std::uint64_t>(cells.integer_at(row)), 8);
                break;
            case parquet::Storage::floating:
                append_little(bytes, std::bit_cast<std::uint64_t>(cells.floating_at(row)), 8);
                break;
            case parquet::Storage::bytes:
                append_little(bytes, cells.bytes_at(row).size(), 8);
                bytes.append(cells.bytes_at(row));
                break;
        }
    }
    Bytes prefix;
    append_little(prefix, bytes.size() - begin, run_prefix_size);
    bytes.replace(begin, run_prefix_size, prefix);
}

std::size_t run_row_size(BytesView bytes) {
    return decode_little(bytes, run_prefix_size);
}

Result<void> take_run_row(BytesView& bytes, parquet::RowBatch& batch) {
    if (bytes.size() < run_prefix_size) return broken();
    const std::size_t size = run_row_size(bytes);
    if (size < run_prefix_size) return broken();
    BytesView row = TRY(take(bytes, size)).substr(run_prefix_size);
    for (parquet::Cells& cells : batch.columns) TRY(take_cell(row, cells));
    if (!row.empty()) return broken();
    return {};
}

}  // namespace highwater::stage
