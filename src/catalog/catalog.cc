#include "catalog/catalog.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/canonical.h"

namespace highwater::catalog {

namespace {

constexpr std::array<std::pair<Operation, std::string_view>, 10> operations{{
    {Operation::create_table, "create_table"},
    {Operation::adopt_table, "adopt_table"},
    {Operation::add_column, "add_column"},
    {Operation::publish, "publish"},
    {Operation::correct, "correct"},
    {Operation::relocate, "relocate"},
    {Operation::revert, "revert"},
    {Operation::compact, "compact"},
    {Operation::unpublish, "unpublish"},
    {Operation::drop_table, "drop_table"},
}};

template <typename Item, typename Key>
std::vector<const Item*> in_order(const std::vector<Item>& items, Key Item::* key) {
    std::vector<const Item*> ordered;
    ordered.reserve(items.size());
    for (const Item& item : items) ordered.push_back(&item);
    std::ranges::sort(
        ordered, [&](const Item* left, const Item* right) { return left->*key < right->*key; });
    return ordered;
}

}  // namespace

std::string_view to_text(Operation operation) {
    for (const auto& [value, text] : operations) {
        if (value == operation) return text;
    }
    return "unknown";
}

std::optional<Operation> parse_operation(std::string_view text) {
    for (const auto& [value, known] : operations) {
        if (known == text) return value;
    }
    return std::nullopt;
}

Digest locations_of(const std::vector<Table>& tables, const std::vector<Partition>& partitions) {
    CanonicalWriter writer("highwater.locations", 1);
    writer.add_list_size(tables.size());
    for (const Table* table : in_order(tables, &Table::id)) {
        writer.add_text(format_uuid(table->id.value));
        writer.add_text(table->location).add_unsigned(table->incarnation);
    }
    writer.add_list_size(partitions.size());
    for (const Partition* partition : in_order(partitions, &Partition::key)) {
        writer.add_text(format_uuid(partition->key.table.value));
        writer.add_signed(partition->key.hour.since_epoch);
        writer.add_text(partition->root).add_unsigned(partition->incarnation);
    }
    return writer.digest();
}

}  // namespace highwater::catalog
