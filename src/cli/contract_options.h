#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "embed/reader.h"
#include "read/request.h"

namespace CLI {
class App;
}

namespace highwater::cli {

/// What the command line says of the reader's contract.
struct ContractOptions {
    std::vector<std::string> tables;
    std::string from;
    std::string to;
    bool all = false;
    std::string min_generation;
    std::string at_generation;
    std::string max_staleness;
    bool any = false;
    std::string on_stale = "refresh";
    std::string wait = "0s";
    bool allow_unpublished = false;
};

/// Lifetime: `options` outlives parsing.
void add_contract_options(CLI::App& verb, ContractOptions& options);

/// The request that the options mean, for `tables`.
///
/// Errors: invalid_argument.
Result<read::Request> request_of(const ContractOptions& options,
                                 const std::vector<std::string>& tables);

}  // namespace highwater::cli
