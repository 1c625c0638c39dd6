#include "publish/problem.h"

namespace highwater::publish {

std::string_view to_text(Step step) {
    switch (step) {
        case Step::manifest: return "manifest";
        case Step::key: return "key";
        case Step::base: return "base";
        case Step::location: return "location";
        case Step::inventory: return "inventory";
        case Step::size: return "size";
        case Step::name: return "name";
        case Step::footer: return "footer";
        case Step::digest: return "digest";
        case Step::audit: return "audit";
    }
    return "unknown";
}

std::string_view to_text(ProblemCode code) {
    switch (code) {
        case ProblemCode::manifest_invalid: return "manifest_invalid";
        case ProblemCode::unknown_table: return "unknown_table";
        case ProblemCode::limit_exceeded: return "limit_exceeded";
        case ProblemCode::batch_generation_reused: return "batch_generation_reused";
        case ProblemCode::not_next_generation: return "not_next_generation";
        case ProblemCode::epoch_mismatch: return "epoch_mismatch";
        case ProblemCode::location_changed: return "location_changed";
        case ProblemCode::location_overlap: return "location_overlap";
        case ProblemCode::object_missing: return "object_missing";
        case ProblemCode::object_unexpected: return "object_unexpected";
        case ProblemCode::listing_failed: return "listing_failed";
        case ProblemCode::size_mismatch: return "size_mismatch";
        case ProblemCode::name_reused: return "name_reused";
        case ProblemCode::footer_invalid: return "footer_invalid";
        case ProblemCode::unsupported: return "unsupported";
        case ProblemCode::record_count_mismatch: return "record_count_mismatch";
        case ProblemCode::schema_mismatch: return "schema_mismatch";
        case ProblemCode::time_out_of_bounds: return "time_out_of_bounds";
        case ProblemCode::digest_mismatch: return "digest_mismatch";
        case ProblemCode::fingerprint_mismatch: return "fingerprint_mismatch";
        case ProblemCode::audit_stale: return "audit_stale";
    }
    return "unknown";
}

void Findings::add(ProblemCode code, std::string_view table, std::string_view path,
                   std::string_view expected, std::string_view observed) {
    ++count_;
    if (problems_.size() >= problems_max) return;
    problems_.push_back({step_, code, std::string(table), std::string(path), std::string(expected),
                         std::string(observed)});
}

}  // namespace highwater::publish
