#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "parquet/inspect.h"
#include "parquet/read.h"

namespace {

using namespace highwater;  // NOLINT(google-build-using-namespace)

/// Decoding takes time by the row, and a few bytes can hold any number of equal ones.
constexpr std::uint64_t rows_max = 100'000;

/// Bytes that are at hand.
class BytesReader final : public object::Reader {
public:
    explicit BytesReader(Bytes bytes) : bytes_(std::move(bytes)) {}
    const object::Identity& identity() const override { return identity_; }
    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        return offset >= bytes_.size() ? Bytes() : bytes_.substr(offset, size);
    }

private:
    Bytes bytes_;
    object::Identity identity_{.size_bytes = bytes_.size()};
};

}  // namespace

// Only verdicts come back, or facts that a scan then proves.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const BytesReader reader(Bytes(reinterpret_cast<const char*>(data), size));
    const auto facts = parquet::inspect_file(reader, "time");
    ASSERT(facts.ok());
    if (facts->verdict != parquet::Verdict::readable) {
        ASSERT(!facts->reason.empty());
        return 0;
    }
    if (facts->record_count > rows_max) return 0;
    const auto pages = parquet::verify_pages(reader);
    ASSERT(pages.ok());
    const auto schema = parquet::infer_schema(*facts, "time");
    if (!schema.ok()) return 0;
    ASSERT(parquet::find_schema_differences(*facts, *schema).empty());
    const auto scan = parquet::scan_file(reader, *schema);
    ASSERT(scan.ok());
    ASSERT(scan->verdict == pages->verdict);
    if (scan->verdict != parquet::Verdict::readable) return 0;
    ASSERT(scan->record_count == facts->record_count);
    return 0;
}
