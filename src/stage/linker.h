#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/table.h"
#include "manifest/manifest.h"
#include "object/store.h"
#include "parquet/rows.h"
#include "parquet/write.h"
#include "stage/plan.h"

namespace highwater::stage {

/// Writes sorted rows as the objects of a plan: seals `open_uploads_max` of them, then links those.
///
/// Not thread-safe. Lifetime: what is given outlives it.
class Linker {
public:
    /// `before_first_link` is called once, when the first objects are sealed and none is visible.
    Linker(object::Store& store, const catalog::Table& table, std::vector<PlannedObject> plan,
           std::function<Result<void>()> before_first_link);

    /// Errors: those of object::Store::create and Upload. After any, some objects may be visible
    /// once
    ///         `before_first_link` was called.
    Result<void> add(const parquet::RowBatch& batch);

    /// Seals and links what is left.
    Result<std::map<model::Hour, std::vector<manifest::ObjectClaim>>> finish();

    /// The objects that may be visible: those whose link succeeded, or may have.
    const std::vector<std::string>& linked() const { return linked_; }

    std::uint64_t objects_written() const { return objects_written_; }
    std::uint64_t hours_written() const { return hours_written_; }

private:
    struct Open {
        const PlannedObject* planned = nullptr;
        std::unique_ptr<object::Upload> upload;
        std::unique_ptr<parquet::ObjectWriter> writer;
    };

    Result<void> open_next(model::Hour hour);
    Result<void> close_current();
    Result<void> link_sealed();
    model::Hour hour_at(const parquet::RowBatch& batch, std::size_t row) const;

    object::Store& store_;
    const catalog::Table& table_;
    const std::vector<PlannedObject> plan_;
    std::function<Result<void>()> before_first_link_;
    const std::size_t time_index_;
    std::size_t next_ = 0;  // In plan_.
    std::optional<Open> current_;
    std::vector<Open> sealed_;
    std::vector<std::string> linked_;
    std::map<model::Hour, std::vector<manifest::ObjectClaim>> claims_;
    std::uint64_t objects_written_ = 0;
    std::uint64_t hours_written_ = 0;  // Begun ones too.
};

}  // namespace highwater::stage
