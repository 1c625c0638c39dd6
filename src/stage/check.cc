#include "stage/check.h"

#include "base/assert.h"
#include "base/try.h"

namespace highwater::stage {

namespace {

constexpr std::string_view stage_advice = "stage it: rows are converted and cut into hours";
constexpr std::string_view rewrite_advice = "write it again at its source";

FileCheck refuse(FileCheck check, FileVerdict verdict, std::string reason,
                 std::string_view advice) {
    check.verdict = verdict;
    check.reasons.push_back(std::move(reason));
    check.advice = advice;
    return check;
}

FileCheck refuse_bytes(FileCheck check, parquet::Verdict verdict, const std::string& reason) {
    ASSERT(verdict != parquet::Verdict::readable);
    const bool is_broken = verdict == parquet::Verdict::footer_invalid;
    return refuse(std::move(check),
                  is_broken ? FileVerdict::footer_invalid : FileVerdict::unsupported, reason,
                  rewrite_advice);
}

/// What is wrong with the times of a file whose rows were all decoded.
std::optional<std::string> find_time_fault(const parquet::ScanFacts& scan,
                                           std::optional<model::Hour> hour) {
    if (scan.null_times > 0) return std::to_string(scan.null_times) + " rows have no time";
    if (scan.is_time_overflow) return "a time is outside 1677 to 2262";
    if (!scan.min_time || !scan.max_time) return std::nullopt;
    const model::Hour first = model::hour_of(*scan.min_time);
    const model::Hour last = model::hour_of(*scan.max_time);
    const std::string span = model::format_hour(first) == model::format_hour(last)
                                 ? model::format_hour(first)
                                 : model::format_hour(first) + " to " + model::format_hour(last);
    if (hour && (first != *hour || last != *hour)) {
        return "times of " + span + ", not of hour " + model::format_hour(*hour) + " alone";
    }
    if (first != last) return "times of several hours: " + span;
    return std::nullopt;
}

}  // namespace

std::string_view to_text(FileVerdict verdict) {
    switch (verdict) {
        case FileVerdict::accepted: return "accepted";
        case FileVerdict::footer_invalid: return "footer_invalid";
        case FileVerdict::unsupported: return "unsupported";
        case FileVerdict::schema_mismatch: return "schema_mismatch";
        case FileVerdict::time_out_of_bounds: return "time_out_of_bounds";
    }
    return "unknown";
}

Result<FileCheck> check_file(const object::Reader& reader, const model::Schema& schema,
                             std::optional<model::Hour> hour) {
    FileCheck check;
    check.facts = TRY(parquet::inspect_file(reader, schema.time_column));
    if (check.facts.verdict != parquet::Verdict::readable) {
        const parquet::FileFacts facts = check.facts;
        return refuse_bytes(std::move(check), facts.verdict, facts.reason);
    }
    const auto differences = parquet::find_schema_differences(check.facts, schema);
    if (!differences.empty()) {
        // A corrupt page is told even where the columns would not have fitted anyway.
        const auto pages = TRY(parquet::verify_pages(reader));
        if (pages.verdict != parquet::Verdict::readable) {
            return refuse_bytes(std::move(check), pages.verdict, pages.reason);
        }
        check.verdict = FileVerdict::schema_mismatch;
        check.reasons = differences;
        const bool is_convertible =
            parquet::find_schema_differences(check.facts, schema, true).empty();
        if (is_convertible) check.advice = stage_advice;
        return check;
    }
    check.scan = TRY(parquet::scan_file(reader, schema));
    if (check.scan->verdict != parquet::Verdict::readable) {
        const parquet::ScanFacts scan = *check.scan;
        return refuse_bytes(std::move(check), scan.verdict, scan.reason);
    }
    if (auto fault = find_time_fault(*check.scan, hour)) {
        return refuse(std::move(check), FileVerdict::time_out_of_bounds, *std::move(fault),
                      stage_advice);
    }
    return check;
}

}  // namespace highwater::stage
