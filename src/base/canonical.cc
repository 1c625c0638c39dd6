#include "base/canonical.h"

namespace highwater {

CanonicalWriter::CanonicalWriter(std::string_view domain, std::uint32_t version) {
    add_text(domain);
    add_unsigned(version);
}

void CanonicalWriter::append_u64(std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
}

CanonicalWriter& CanonicalWriter::add_text(std::string_view value) {
    bytes_ += 't';
    append_u64(value.size());
    bytes_ += value;
    return *this;
}

CanonicalWriter& CanonicalWriter::add_unsigned(std::uint64_t value) {
    bytes_ += 'u';
    append_u64(value);
    return *this;
}

CanonicalWriter& CanonicalWriter::add_signed(std::int64_t value) {
    bytes_ += 'i';
    append_u64(static_cast<std::uint64_t>(value));
    return *this;
}

CanonicalWriter& CanonicalWriter::add_bool(bool value) {
    bytes_ += 'b';
    bytes_ += value ? '\1' : '\0';
    return *this;
}

CanonicalWriter& CanonicalWriter::add_digest(const Digest& value) {
    bytes_ += 'd';
    bytes_.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
    return *this;
}

CanonicalWriter& CanonicalWriter::add_absent() {
    bytes_ += 'n';
    return *this;
}

CanonicalWriter& CanonicalWriter::add_list_size(std::uint64_t count) {
    bytes_ += 'l';
    append_u64(count);
    return *this;
}

}  // namespace highwater
