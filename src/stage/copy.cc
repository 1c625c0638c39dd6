#include "stage/copy.h"

#include <algorithm>

#include "base/try.h"

namespace highwater::stage {

namespace {

constexpr std::uint64_t copy_size = std::uint64_t{4} << 20U;

/// Hands every piece of an object to `take`.
template <typename Take>
Result<void> for_each_piece(const object::Reader& reader, Take take) {
    const std::uint64_t size = reader.identity().size_bytes;
    for (std::uint64_t offset = 0; offset < size;) {
        const Bytes piece = TRY(reader.read_at(offset, std::min(copy_size, size - offset)));
        if (piece.empty()) return Error(Code::corrupt, "the object ends before its size says");
        TRY(take(piece));
        offset += piece.size();
    }
    return {};
}

}  // namespace

Result<Digest> digest_object(const object::Reader& reader) {
    Sha256 digest;
    TRY(for_each_piece(reader, [&](BytesView piece) -> Result<void> {
        digest.update(piece);
        return {};
    }));
    return digest.finish();
}

/// Writes the bytes of `from` as `to`; equal bytes that are there already will do.
Result<void> copy_object(object::Store& store, const object::Reader& from, const object::Name& to,
                         const Digest& digest) {
    const auto upload = TRY(store.create(to));
    Sha256 copied;
    TRY(for_each_piece(from, [&](BytesView piece) -> Result<void> {
        copied.update(piece);
        return upload->append(piece);
    }));
    if (copied.finish() != digest) {
        return Error(Code::corrupt, "'" + to.path + "' changed while it was copied");
    }
    const auto finished = upload->finish();
    if (finished.ok()) return {};
    if (finished.error().code() != Code::already_exists) return finished.error();
    const auto there = TRY(store.open(to));
    if (TRY(digest_object(*there)) == digest) return {};
    return Error(Code::corrupt, "other bytes are at '" + to.path + "'");
}

}  // namespace highwater::stage
