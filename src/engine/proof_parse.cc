#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "engine/proof.h"

namespace highwater::engine {

namespace {

Error no_proof(std::string_view member) {
    return {Code::invalid_argument, "the proof has no valid member " + format_quoted(member)};
}

Result<const Json*> find_member(const Json& json, std::string_view name) {
    const Json* const member = json.find(name);
    if (member == nullptr) return no_proof(name);
    return member;
}

Result<std::string> parse_text(const Json& json, std::string_view name) {
    const std::string* const text = TRY(find_member(json, name))->find_string();
    if (text == nullptr) return no_proof(name);
    return *text;
}

Result<std::uint64_t> parse_number(const Json& json, std::string_view name) {
    const Json* const member = TRY(find_member(json, name));
    if (!member->has_uint64()) return no_proof(name);
    return member->as_uint64();
}

Result<Digest> parse_digest_member(const Json& json, std::string_view name) {
    return parse_digest(TRY(parse_text(json, name)));
}

Result<model::Hour> parse_hour_of(const Json& json) {
    const std::string* const text = json.find_string();
    if (text == nullptr) return no_proof("hours");
    return model::parse_hour(*text);
}

/// Every element of the array `name`, each read by `parse_element`.
template <typename Parse>
auto parse_list(const Json& json, std::string_view name, Parse parse_element)
    -> Result<std::vector<std::decay_t<decltype(*parse_element(json))>>> {
    const Json::Array* const array = TRY(find_member(json, name))->find_array();
    if (array == nullptr) return no_proof(name);
    std::vector<std::decay_t<decltype(*parse_element(json))>> list;
    for (const Json& element : *array) list.push_back(TRY(parse_element(element)));
    return list;
}

Result<object::Name> parse_name(const Json& json) {
    return object::Name{TRY(parse_text(json, "root")), TRY(parse_text(json, "path"))};
}

/// An Error that was read: as such, not as the reason why nothing was.
struct ReadError {
    Error error;
};

Result<ReadError> parse_error(const Json& json) {
    const std::string text = TRY(parse_text(json, "code"));
    for (int code = 0; code <= static_cast<int>(Code::unsupported); ++code) {
        if (to_text(static_cast<Code>(code)) != text) continue;
        return ReadError{Error(static_cast<Code>(code), TRY(parse_text(json, "message")))};
    }
    return no_proof("code");
}

Result<std::optional<Error>> parse_failure(const Json& json) {
    const Json* const member = json.find("failure");
    if (member == nullptr) return std::optional<Error>();
    return std::optional(TRY(parse_error(*member)).error);
}

Result<FileFacts> parse_file(const Json& json) {
    FileFacts file;
    file.name = TRY(parse_name(json));
    file.rows = TRY(parse_number(json, "rows"));
    if (json.find("footer_rows") != nullptr) {
        file.footer_rows = TRY(parse_number(json, "footer_rows"));
    }
    file.row_fingerprint = TRY(parse_digest_member(json, "row_fingerprint"));
    file.failure = TRY(parse_failure(json));
    return file;
}

Result<ExpectedFile> parse_expected(const Json& json) {
    ExpectedFile file;
    file.name = TRY(parse_name(json));
    file.hour = TRY(parse_hour_of(*TRY(find_member(json, "hour"))));
    file.rows = TRY(parse_number(json, "rows"));
    if (!TRY(find_member(json, "row_fingerprint"))->is_null()) {
        file.row_fingerprint = TRY(parse_digest_member(json, "row_fingerprint"));
    }
    return file;
}

Result<EngineFacts> parse_engine(const Json& json) {
    EngineFacts facts;
    facts.engine = TRY(parse_text(json, "engine"));
    if (json.find("discovered") != nullptr) {
        facts.discovered = TRY(parse_list(json, "discovered", parse_name));
    }
    facts.files = TRY(parse_list(json, "files", parse_file));
    const Json* const ledger = TRY(find_member(json, "ledger"));
    facts.ledger.listed_files = TRY(parse_number(*ledger, "listed_files"));
    facts.ledger.opened_files = TRY(parse_number(*ledger, "opened_files"));
    facts.ledger.reads = TRY(parse_number(*ledger, "reads"));
    facts.ledger.bytes_read = TRY(parse_number(*ledger, "bytes_read"));
    return facts;
}

Result<EngineFailure> parse_engine_failure(const Json& json) {
    return EngineFailure{TRY(parse_text(json, "engine")), TRY(parse_error(json)).error};
}

Result<std::string> parse_pattern(const Json& json) {
    const std::string* const text = json.find_string();
    if (text == nullptr) return no_proof("patterns");
    return *text;
}

Result<RawFacts> parse_raw(const Json& json) {
    RawFacts raw;
    raw.patterns = TRY(parse_list(json, "patterns", parse_pattern));
    raw.files = TRY(parse_list(json, "files", parse_file));
    raw.failure = TRY(parse_failure(json));
    return raw;
}

Result<TableFacts> parse_table(const Json& json) {
    TableFacts facts;
    facts.table = TRY(parse_text(json, "table"));
    facts.hours = TRY(parse_list(json, "hours", parse_hour_of));
    facts.expected = TRY(parse_list(json, "expected", parse_expected));
    facts.known_others = TRY(parse_list(json, "known_others", parse_name));
    facts.engines = TRY(parse_list(json, "engines", parse_engine));
    facts.failures = TRY(parse_list(json, "failures", parse_engine_failure));
    if (const Json* const raw = json.find("raw_pattern")) facts.raw = TRY(parse_raw(*raw));
    return facts;
}

}  // namespace

Result<ProofFacts> parse_proof_facts(const Json& proof) {
    const Json* const json = TRY(find_member(proof, "facts"));
    const Json* const generation = TRY(find_member(*json, "generation"));
    ProofFacts facts;
    const std::uint64_t ordinal = TRY(parse_number(*generation, "epoch_ordinal"));
    if (ordinal > std::numeric_limits<std::uint32_t>::max()) return no_proof("epoch_ordinal");
    facts.generation.epoch.ordinal = static_cast<std::uint32_t>(ordinal);
    facts.generation.epoch.random = TRY(parse_number(*generation, "epoch_random"));
    facts.generation.number = TRY(parse_number(*generation, "number"));
    facts.generation.chain = TRY(parse_digest_member(*generation, "chain"));
    facts.tables = TRY(parse_list(*json, "tables", parse_table));
    return facts;
}

}  // namespace highwater::engine
