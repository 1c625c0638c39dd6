// Whatever the bytes, a change of a cache file is taken in or refused; what was taken in answers
// for every hour that it holds, and is written so that it reads the same again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cache/stored_change.h"

namespace {

using highwater::cache::Snapshot;

void visit(const Snapshot& snapshot) {
    constexpr highwater::model::HourRange every_hour{
        highwater::model::hour_min, highwater::model::next(highwater::model::hour_max)};
    ASSERT(snapshot.completed() <= snapshot.seen().number);
    for (const auto& held : snapshot.tables()) {
        static_cast<void>(snapshot.published_range(held.table->id));
        for (const auto& hour : snapshot.list_hours(held.table->id, every_hour)) {
            static_cast<void>(snapshot.find({held.table->id, hour.hour}));
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace cache = highwater::cache;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto read = cache::decode_change(nullptr, bytes);
    if (!read.ok()) return 0;
    visit(**read);
    const highwater::Bytes written = cache::encode_change(nullptr, **read);
    const auto again = cache::decode_change(nullptr, written);
    ASSERT(again.ok());
    ASSERT(cache::encode_change(nullptr, **again) == written);
    return 0;
}
