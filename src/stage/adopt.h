#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "manifest/manifest.h"
#include "model/path_pattern.h"
#include "model/schema.h"
#include "object/store.h"

namespace highwater::stage {

/// An existing lake of Parquet files that is to become a table where it lies.
struct AdoptRequest {
    std::string root = {};
    std::string table = {};
    std::string batch = {};
    std::optional<model::PathPattern> pattern = std::nullopt;  // Else guessed from the paths.
    std::optional<std::string> time_column = std::nullopt;     // Else the only timestamp column.
    std::function<void(std::size_t files_checked, std::size_t files)> on_progress = nullptr;
    std::stop_token stop = {};
};

/// A file that the table cannot take as it is.
struct NotAdoptable {
    std::string path;
    std::vector<std::string> reasons;
    std::string advice;
};

/// What was found: the table that these files make, and what of them it can hold.
struct Adoption {
    model::PathPattern pattern = model::PathPattern::make_default();
    model::Schema schema;
    manifest::Manifest
        manifest;  // Hours that are adoptable whole; none when there is no such hour.
    std::vector<NotAdoptable> refused;  // In path order.
};

/// The layouts of other writers that a guess tries, most specific first.
const std::vector<std::string>& known_patterns();

/// Lists and decodes every file beneath a root and says what table they make. Copies nothing,
/// writes nothing. An hour is adoptable when each of its files is, since the gate takes an hour
/// whole.
///
/// Errors: not_found         nothing beneath the root.
///         invalid_argument  no pattern fits, no time column can be told; the message says what to
///                           give.
///         unsupported       no file can be adopted; the message gives the first reason.
///         cancelled, unavailable.
/// Cost: one listing; every file is read and decoded.
Result<Adoption> plan_adoption(object::Store& store, const AdoptRequest& request);

}  // namespace highwater::stage
