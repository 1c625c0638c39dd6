#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "stage/csv.h"

namespace {

using namespace highwater;  // NOLINT(google-build-using-namespace)

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

// Every record is good or bad, its line goes up, and a good one that is written again is read as
// the same fields.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const BytesReader reader(Bytes(reinterpret_cast<const char*>(data), size));
    stage::CsvReader csv(reader, ',', 1'000);
    std::uint64_t line = 0;
    while (true) {
        const auto record = csv.next();
        if (!record.ok()) {
            ASSERT(record.error().code() == Code::invalid_argument);
            return 0;
        }
        if (!*record) return 0;
        ASSERT((*record)->line > line);
        line = (*record)->line;
        ASSERT((*record)->bad.has_value() == (*record)->fields.empty());
        if ((*record)->bad) continue;
        Bytes text;
        for (const Bytes& field : (*record)->fields) {
            if (!text.empty() || &field != &(*record)->fields.front()) text += ',';
            text += stage::format_csv_field(field);
        }
        const bool is_blank = text.empty() || text.starts_with("\xEF\xBB\xBF");
        if (is_blank) continue;
        const BytesReader again(text);
        stage::CsvReader second(again, ',');
        const auto repeated = second.next();
        ASSERT(repeated.ok() && repeated->has_value());
        ASSERT((*repeated)->fields == (*record)->fields);
    }
}
