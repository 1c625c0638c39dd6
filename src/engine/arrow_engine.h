#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"

namespace highwater::engine {

/// Arrow's datasets, which find partitions by their pattern: for each planned hour everything
/// beneath its prefix is discovered, as if there were no catalog, and then only the plan's files
/// are read.
///
/// All scans of the process with the same limit of memory share it.
///
/// What is discovered and not in the plan is for the caller to explain (prove.h); a planned file
/// that is not discovered is not_found.
class ArrowDataset final : public Engine {
public:
    /// Temporary files go into `directory`, which must be there.
    explicit ArrowDataset(std::string directory, const EngineLimits& limits = {});

    std::string_view name() const override { return "arrow"; }
    Result<ResultTable> select_rows(const read::PlannedTable& table, const Scan& scan,
                                    std::stop_token stop) override;
    Result<EngineFacts> gather_facts(const read::PlannedTable& table,
                                     std::stop_token stop) override;

    /// Discovery alone, and how much it listed: every file beneath the prefixes, in name order.
    Result<std::vector<object::Name>> discover(const read::PlannedTable& table,
                                               EngineLedger& ledger) const;

private:
    std::string directory_;
    EngineLimits limits_;
};

}  // namespace highwater::engine
