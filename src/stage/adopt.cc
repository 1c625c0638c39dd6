#include "stage/adopt.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "parquet/inspect.h"
#include "parquet/read.h"
#include "stage/check.h"
#include "stage/copy.h"

namespace highwater::stage {

namespace {

/// A file on its way to be adopted or refused.
struct Candidate {
    object::Entry entry;
    std::optional<model::Hour> hour;
    parquet::FileFacts facts;
    std::optional<model::Schema> schema;  // Its own, when a table can hold its columns.
    std::vector<std::string> reasons;     // Why not; empty so far when adoptable.
    std::string advice;
    manifest::ObjectClaim claim;

    void refuse(std::string reason, std::string how) {
        reasons.push_back(std::move(reason));
        advice = std::move(how);
    }
};

constexpr const char* stage_advice = "stage it: rows are converted and cut into hours";

std::size_t count_matches(const std::vector<object::Entry>& entries,
                          const model::PathPattern& pattern) {
    return static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(),
        [&](const object::Entry& entry) { return pattern.find_hour(entry.path).has_value(); }));
}

Result<model::PathPattern> guess_pattern(const std::vector<object::Entry>& entries) {
    std::optional<model::PathPattern> best;
    std::size_t best_count = 0;
    for (const std::string& text : known_patterns()) {
        auto pattern = TRY(model::PathPattern::parse(text));
        const std::size_t count = count_matches(entries, pattern);
        if (count <= best_count) continue;
        best_count = count;
        best = std::move(pattern);
    }
    if (best) return *std::move(best);
    return Error(Code::invalid_argument, "no known layout fits '" +
                                             format_quoted(entries.front().path) +
                                             "': give the pattern of its hours");
}

/// The only timestamp column of the files that can be read.
Result<std::string> guess_time_column(const std::vector<Candidate>& candidates) {
    std::set<std::string> names;
    for (const Candidate& candidate : candidates) {
        for (const parquet::FileColumn& column : candidate.facts.columns) {
            if (column.type == model::ColumnType::timestamp) names.insert(column.name);
        }
    }
    if (names.size() == 1) return *names.begin();
    if (names.empty()) {
        return Error(Code::invalid_argument, "no file has a timestamp column");
    }
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + format_quoted(name);
    return Error(Code::invalid_argument,
                 "several timestamp columns (" + list + "): give the one that the hours are of");
}

/// One adoption on its way.
class Adopting {
public:
    Adopting(object::Store& store, const AdoptRequest& request)
        : store_(store), request_(request) {}

    Result<Adoption> run() {
        const auto entries = TRY(object::list_all(store_, request_.root, ""));
        if (entries.empty()) {
            return Error(Code::not_found, "nothing lies beneath " + request_.root);
        }
        adoption_.pattern = request_.pattern ? *request_.pattern : TRY(guess_pattern(entries));
        for (const object::Entry& entry : entries) TRY(inspect(entry));
        const std::string time_column =
            request_.time_column ? *request_.time_column : TRY(guess_time_column(candidates_));
        TRY(choose_schema(time_column));
        for (Candidate& candidate : candidates_) {
            if (candidate.reasons.empty()) TRY(judge(candidate));
        }
        refuse_hours();
        return collect();
    }

private:
    Result<void> inspect(const object::Entry& entry) {
        TRY(step());
        Candidate& candidate = candidates_.emplace_back();
        candidate.entry = entry;
        candidate.hour = adoption_.pattern.find_hour(entry.path);
        if (!candidate.hour) {
            candidate.refuse("it lies in no hour of the pattern " + adoption_.pattern.text(),
                             stage_advice);
            return {};
        }
        if (entry.kind != object::Entry::Kind::object) {
            candidate.refuse("it is no regular file", "move it out of the hour");
            return {};
        }
        const auto reader = TRY(store_.open({request_.root, entry.path}));
        candidate.facts = TRY(parquet::inspect_file(*reader, ""));
        if (candidate.facts.verdict != parquet::Verdict::readable) {
            candidate.refuse(std::string(parquet::to_text(candidate.facts.verdict)) + ": " +
                                 candidate.facts.reason,
                             "move it out of the hour");
        }
        return {};
    }

    /// The schema that most files have; of equally many, that of the first path.
    Result<void> choose_schema(const std::string& time_column) {
        std::vector<std::pair<model::Schema, std::size_t>> counts;
        for (Candidate& candidate : candidates_) {
            if (!candidate.reasons.empty()) continue;
            auto schema = parquet::infer_schema(candidate.facts, time_column);
            if (!schema.ok()) {
                candidate.refuse(schema.error().message(), stage_advice);
                continue;
            }
            candidate.schema = *schema;
            const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& count) {
                return count.first == *schema;
            });
            known == counts.end() ? counts.emplace_back(*schema, 1).second : ++known->second;
        }
        const auto most = std::max_element(
            counts.begin(), counts.end(),
            [](const auto& left, const auto& right) { return left.second < right.second; });
        if (most != counts.end()) {
            adoption_.schema = most->first;
            return {};
        }
        const Candidate& first = candidates_.front();
        return Error(Code::unsupported, "no file can be adopted: '" +
                                            format_quoted(first.entry.path) +
                                            "': " + first.reasons.front());
    }

    Result<void> judge(Candidate& candidate) {
        TRY(step());
        const auto reader = TRY(store_.open({request_.root, candidate.entry.path}));
        const auto check = TRY(check_file(*reader, adoption_.schema, candidate.hour));
        if (check.verdict != FileVerdict::accepted) {
            for (const std::string& reason : check.reasons) {
                candidate.refuse(std::string(to_text(check.verdict)) + ": " + reason, check.advice);
            }
            return {};
        }
        if (check.scan->record_count == 0) {
            candidate.refuse("it has no rows", "move it out of the hour");
            return {};
        }
        candidate.claim = {.path = candidate.entry.path,
                           .size_bytes = reader->identity().size_bytes,
                           .record_count = check.scan->record_count,
                           .sha256 = TRY(digest_object(*reader)),
                           .min_time = check.scan->min_time,
                           .max_time = check.scan->max_time,
                           .row_fingerprint = check.scan->row_fingerprint};
        if (request_.on_progress) request_.on_progress(++files_checked_, candidates_.size());
        return {};
    }

    /// The gate takes an hour whole, so one file keeps the others of its hour back.
    void refuse_hours() {
        std::map<model::Hour, std::string> refused;
        for (const Candidate& candidate : candidates_) {
            if (!candidate.hour || candidate.reasons.empty()) continue;
            refused.emplace(*candidate.hour, candidate.entry.path);
        }
        for (Candidate& candidate : candidates_) {
            if (!candidate.hour || !candidate.reasons.empty()) continue;
            const auto because = refused.find(*candidate.hour);
            if (because == refused.end()) continue;
            candidate.refuse("its hour also holds '" + format_quoted(because->second) +
                                 "', which cannot be adopted",
                             "clear the hour of that file");
        }
    }

    Adoption collect() {
        std::map<model::Hour, std::vector<manifest::ObjectClaim>> hours;
        for (Candidate& candidate : candidates_) {
            if (candidate.reasons.empty()) {
                hours[*candidate.hour].push_back(std::move(candidate.claim));
            } else {
                adoption_.refused.push_back({.path = candidate.entry.path,
                                             .reasons = std::move(candidate.reasons),
                                             .advice = std::move(candidate.advice)});
            }
        }
        adoption_.manifest.table = request_.table;
        adoption_.manifest.batch_generation = request_.batch;
        adoption_.manifest.schema_version = 1;
        for (auto& [hour, objects] : hours) {
            adoption_.manifest.partitions.push_back({.hour = hour,
                                                     .location = std::nullopt,
                                                     .objects = std::move(objects),
                                                     .declared_empty = std::nullopt});
        }
        return std::move(adoption_);
    }

    Result<void> step() const {
        if (request_.stop.stop_requested()) return Error(Code::cancelled, "stopped");
        return {};
    }

    object::Store& store_;
    const AdoptRequest& request_;
    std::vector<Candidate> candidates_;
    std::size_t files_checked_ = 0;
    Adoption adoption_;
};

}  // namespace

const std::vector<std::string>& known_patterns() {
    static const std::vector<std::string> patterns = {
        "hour={YYYY-MM-DD}T{HH}",
        "date={YYYY-MM-DD}/hour={HH}",
        "dt={YYYY-MM-DD}/hour={HH}",
        "day={YYYY-MM-DD}/hour={HH}",
        "year={YYYY}/month={MM}/day={DD}/hour={HH}",
        "{YYYY-MM-DD}T{HH}",
        "{YYYY-MM-DD}/{HH}",
        "{YYYY}/{MM}/{DD}/{HH}",
        "{YYYY}{MM}{DD}/{HH}",
        "{YYYY}{MM}{DD}{HH}",
    };
    return patterns;
}

Result<Adoption> plan_adoption(object::Store& store, const AdoptRequest& request) {
    return Adopting(store, request).run().within("adopt");
}

}  // namespace highwater::stage
