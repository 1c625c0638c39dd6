// Whatever the bytes, reading a manifest ends with a manifest or with faults; and what was read is
// written so that it reads the same again, with the same digest.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "manifest/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace manifest = highwater::manifest;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const manifest::Parsed parsed = manifest::parse_manifest(text);
    if (!parsed.faults.empty()) return 0;
    const manifest::Parsed again =
        manifest::parse_manifest(manifest::format_manifest(parsed.manifest));
    ASSERT(again.faults.empty());
    ASSERT(again.manifest == parsed.manifest);
    ASSERT(manifest::digest_of(again.manifest) == manifest::digest_of(parsed.manifest));
    return 0;
}
