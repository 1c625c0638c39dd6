// Whatever the bytes, an entry of the cache is unpacked or refused; what was unpacked is packed so
// that it reads the same again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cache/packed_entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace cache = highwater::cache;
    const highwater::catalog::PartitionKey key{{}, {496'000}};
    const auto read = cache::unpack(key, {reinterpret_cast<const char*>(data), size});
    if (!read.ok()) return 0;
    const auto again = cache::unpack(key, cache::pack(read->partition, read->listing));
    ASSERT(again.ok());
    ASSERT(again->partition == read->partition);
    ASSERT(again->listing == read->listing);
    return 0;
}
