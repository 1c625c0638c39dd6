#pragma once

#include <cstdint>
#include <string_view>

namespace highwater::model {

/// The one vocabulary of both planes. Only `complete` is answered.
enum class Completeness : std::uint8_t { complete, missing, stale, gapped, incompatible };

/// "Complete", "Missing", "Stale", "Gapped", "Incompatible".
std::string_view to_text(Completeness completeness);

}  // namespace highwater::model
