#include "engine/statement.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json.h"
#include "base/text.h"
#include "base/try.h"
#include "engine/duckdb_sql.h"

namespace highwater::engine {

namespace {

constexpr std::array row_makers = {
    std::string_view("range"),  std::string_view("generate_series"), std::string_view("unnest"),
    std::string_view("repeat"), std::string_view("json_each"),       std::string_view("json_tree"),
};

// DuckDB nests expressions 1,000 deep at most, each a few levels of JSON.
constexpr JsonLimits parse_tree_limits = {
    .size_bytes_max = std::size_t{1} << 28U, .depth_max = 20'000, .values_max = 10'000'000};

std::string text_of(const Json& node, std::string_view member) {
    const Json* const found = node.find(member);
    const std::string* const text = found == nullptr ? nullptr : found->find_string();
    return text == nullptr ? std::string() : *text;
}

/// Runs `visit` on every object in the tree, until one fails.
template <typename Visit>
Result<void> visit_objects(const Json& tree, Visit visit) {
    std::vector<const Json*> rest = {&tree};
    while (!rest.empty()) {
        const Json* const node = rest.back();
        rest.pop_back();
        if (const auto* array = node->find_array()) {
            for (const Json& element : *array) rest.push_back(&element);
        } else if (const auto* object = node->find_object()) {
            TRY(visit(*node));
            for (const auto& [name, member] : *object) rest.push_back(&member);
        }
    }
    return {};
}

/// The names that the statement defines itself, folded.
Result<std::set<std::string>> find_own_names(const Json& tree) {
    std::set<std::string> names;
    TRY(visit_objects(tree, [&](const Json& node) -> Result<void> {
        const Json* const definitions = node.find("cte_map");
        const Json* const map = definitions == nullptr ? nullptr : definitions->find("map");
        const auto* entries = map == nullptr ? nullptr : map->find_array();
        if (entries == nullptr) return {};
        for (const Json& entry : *entries) {
            const std::string name = text_of(entry, "key");
            // A name out of scope is looked for among files; one without an ending never is.
            if (name.find_first_of("./\\:") != std::string::npos) {
                return Error(Code::denied, "the name " + format_quoted(name) +
                                               " of a common table expression looks like a file's");
            }
            names.insert(fold_case(name));
        }
        return {};
    }));
    return names;
}

Result<void> verify_table(const Json& node, const std::set<std::string>& tables,
                          const std::set<std::string>& own) {
    const std::string name = text_of(node, "table_name");
    const std::string schema = fold_case(text_of(node, "schema_name"));
    const std::string catalog = fold_case(text_of(node, "catalog_name"));
    const bool is_ours = (schema.empty() || schema == "main") &&
                         (catalog.empty() || catalog == "memory") &&
                         tables.contains(fold_case(name));
    const bool is_own = schema.empty() && catalog.empty() && own.contains(fold_case(name));
    if (is_ours || is_own) return {};
    return Error(Code::denied, "the query reads " + format_quoted(name) +
                                   ", which is none of the tables it may read");
}

Result<void> verify_node(const Json& node, const std::set<std::string>& tables,
                         const std::set<std::string>& own) {
    const std::string type = text_of(node, "type");
    if (type == "BASE_TABLE") return verify_table(node, tables, own);
    if (type == "TABLE_FUNCTION") {
        const Json* const function = node.find("function");
        const std::string name =
            function == nullptr ? std::string() : fold_case(text_of(*function, "function_name"));
        if (std::ranges::find(row_makers, name) != row_makers.end()) return {};
        return Error(Code::denied, "the query calls " + format_quoted(name) +
                                       " in place of a table, which is not permitted");
    }
    if (type == "SHOW_REF") {
        const Json* const query = node.find("query");
        if (query != nullptr && !query->is_null()) return {};
        return Error(Code::denied, "SHOW is not permitted: use DESCRIBE and a table's name");
    }
    return {};
}

}  // namespace

std::string fold_case(std::string text) {
    for (char& letter : text) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return text;
}

Result<void> verify_statement(Session& session, const std::string& sql,
                              const std::set<std::string>& tables) {
    if (sql.size() > sql_size_max) {
        return Error(Code::exhausted,
                     "the statement is larger than " + std::to_string(sql_size_max) + " bytes");
    }
    if (sql.find('\0') != std::string::npos || !is_utf8(sql)) {
        return Error(Code::invalid_argument, "the statement is not UTF-8 text without null bytes");
    }
    const std::string serialized = TRY(session.query_text("SELECT CAST(json_serialize_sql(" +
                                                          quote_literal(sql) + ") AS VARCHAR)"));
    const Json tree = TRY(parse_json(serialized, parse_tree_limits).within("parse tree"));
    const Json* const failed = tree.find("error");
    if (failed == nullptr || failed->find_bool() == nullptr || *failed->find_bool()) {
        return Error(Code::invalid_argument,
                     "no SELECT statement: " + format_quoted(text_of(tree, "error_message")));
    }
    const Json* const statements = tree.find("statements");
    if (statements == nullptr || statements->find_array() == nullptr ||
        statements->find_array()->size() != 1) {
        return Error(Code::invalid_argument, "exactly one SELECT statement is taken at a time");
    }
    const std::set<std::string> own = TRY(find_own_names(tree));
    return visit_objects(tree, [&](const Json& node) { return verify_node(node, tables, own); });
}

}  // namespace highwater::engine
