#include "embed/waiter.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "embed/tables.h"

namespace highwater::embed {

namespace {

using Found = std::optional<catalog::Generation>;

Result<Found> find_hour(catalog::Catalog& catalog, const WaitFor& what) {
    const auto tables = TRY(catalog.load_view({}));
    const auto table = TRY(find_table(tables.tables, what.table));
    const auto view = TRY(catalog.load_view(
        {.scopes = {{table.id, {{*what.hour, model::next(*what.hour)}}}}, .at = {}}));
    if (view.partitions.empty() || view.partitions.front()->retired) return Found();
    return Found(view.generation);
}

Result<Found> find_token(catalog::Catalog& catalog, const catalog::Token& token) {
    const auto head = TRY(catalog.head());
    if (head.epoch != token.epoch) {
        return Error(Code::not_found,
                     fmt::format("generation {} is of another epoch than the catalog, {}",
                                 catalog::format_token(token), catalog::format_token(head)));
    }
    if (head.number < token.number) return Found();
    const auto record = TRY(catalog.find(
        {.kind = catalog::Catalog::By::Kind::number, .text = {}, .number = token.number}));
    const bool is_same =
        record && catalog::token_of(record->generation).chain_prefix == token.chain_prefix;
    if (is_same || token.number == 0) return Found(head);
    return Error(Code::not_found, "the catalog's line has no generation " +
                                      catalog::format_token(token) + ": it was forked");
}

Result<Found> find(catalog::Catalog& catalog, const WaitFor& what) {
    if (what.hour) return find_hour(catalog, what);
    if (const auto* token = std::get_if<catalog::Token>(&*what.generation)) {
        return find_token(catalog, *token);
    }
    const auto& batch = std::get<catalog::BatchRef>(*what.generation).batch;
    const auto record =
        TRY(catalog.find({.kind = catalog::Catalog::By::Kind::batch, .text = batch, .number = 0}));
    return record ? Found(record->generation) : Found();
}

}  // namespace

Result<catalog::Generation> wait_for(catalog::Catalog& catalog, env::Clock& clock,
                                     const WaitFor& what, std::stop_token stop) {
    const Duration deadline = clock.steady() + what.timeout;
    while (true) {
        if (const auto found = TRY(find(catalog, what))) return *found;
        const Duration left = deadline - clock.steady();
        if (left <= Duration(0)) {
            return Error(Code::unavailable,
                         fmt::format("not there after {}: the catalog is at {}",
                                     format_duration(what.timeout),
                                     catalog::format_token(TRY(catalog.head()))));
        }
        if (!clock.wait(std::min(left, wait_poll), stop)) {
            return Error(Code::cancelled, "the wait was interrupted");
        }
    }
}

}  // namespace highwater::embed
