#include "read/verify.h"

#include <algorithm>

#include "base/assert.h"
#include "base/try.h"

namespace highwater::read {

namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20U;

std::vector<const PlannedFile*> files_of(const Plan& plan) {
    std::vector<const PlannedFile*> files;
    for (const PlannedTable& table : plan.tables) {
        for (const PlannedFile& file : table.files) files.push_back(&file);
    }
    return files;
}

bool is_fresh(const object::Identity& identity, Time now) {
    // Stores without such times tell changes by other fields.
    if (identity.ctime_ns == 0) return false;
    return identity.ctime_ns > to_ns(now - fresh_ctime);
}

bool is_object(const Observation& observation) {
    return observation.entry && observation.entry->kind == object::Entry::Kind::object;
}

struct ReadBack {
    Digest sha256;
    object::Identity identity;
};

Result<ReadBack> read_back(object::Store& store, const object::Name& name) {
    const auto reader = TRY(store.open(name));
    Sha256 sha256;
    for (std::uint64_t offset = 0;;) {
        const Bytes chunk = TRY(reader->read_at(offset, chunk_bytes));
        if (chunk.empty()) break;
        sha256.update(chunk);
        offset += chunk.size();
    }
    return ReadBack{sha256.finish(), reader->identity()};
}

InventoryDrift::Side side_of(const Observation& observation) {
    InventoryDrift::Side side;
    side.identity = observation.entry->identity;
    side.sha256 = observation.sha256;
    side.is_other_kind = observation.entry->kind != object::Entry::Kind::object;
    return side;
}

/// Collects refusals, the missing objects of one table together.
class Judge {
public:
    explicit Judge(const Plan& plan) : plan_(plan) {}

    /// Calls `judge_file(file, position)` for each; it returns a drift, if there is one.
    template <typename JudgeFile>
    std::vector<Refusal> run(const std::vector<Observation>& observed, JudgeFile judge_file) {
        std::size_t position = 0;
        for (const PlannedTable& table : plan_.tables) {
            MissingObjects missing;
            missing.table = table.table.name;
            for (const PlannedFile& file : table.files) {
                const Observation& observation = observed.at(position);
                if (observation.failure) {
                    add(Unavailable{Unavailable::Where::store, *observation.failure});
                } else if (!observation.entry) {
                    ++missing.count;
                    if (missing.count <= listed_max)
                        missing.objects.push_back({file.hour, file.name});
                } else if (auto drift = judge_file(file, position)) {
                    add(*std::move(drift));
                }
                ++position;
            }
            if (missing.count != 0) refusals_.push_back(std::move(missing));
        }
        sort(refusals_);
        return std::move(refusals_);
    }

private:
    void add(Refusal refusal) {
        if (refusals_.size() < listed_max) refusals_.push_back(std::move(refusal));
    }

    const Plan& plan_;
    std::vector<Refusal> refusals_;
};

InventoryDrift make_drift(const PlannedFile& file, InventoryDrift::Side expected,
                          const Observation& observed) {
    return {file.name, file.hour, expected, side_of(observed)};
}

std::optional<InventoryDrift> find_drift(const PlannedFile& file, const Observation& observed) {
    const InventoryDrift::Side expected{file.identity, file.sha256, false};
    if (!is_object(observed)) return make_drift(file, expected, observed);
    if (observed.sha256 && file.sha256) {
        if (*observed.sha256 == *file.sha256) return std::nullopt;
        return make_drift(file, expected, observed);
    }
    if (observed.entry->identity == file.identity) return std::nullopt;
    return make_drift(file, expected, observed);
}

}  // namespace

std::vector<Observation> observe(object::Store& store, const Plan& plan) {
    std::vector<Observation> observed;
    for (const PlannedFile* file : files_of(plan)) {
        Observation& observation = observed.emplace_back();
        auto entry = store.head(file->name);
        if (entry.ok()) {
            observation.entry = *std::move(entry);
        } else {
            observation.failure = entry.error();
        }
    }
    return observed;
}

std::vector<std::size_t> find_suspects(const Plan& plan, const std::vector<Observation>& observed,
                                       Time now) {
    std::vector<std::size_t> suspects;
    const auto files = files_of(plan);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const PlannedFile& file = *files[i];
        // Without a registered digest there is nothing to compare bytes with.
        if (!is_object(observed.at(i)) || !file.sha256) continue;
        const object::Identity& identity = observed[i].entry->identity;
        // Other sizes are other bytes.
        if (identity.size_bytes != file.identity.size_bytes) continue;
        if (identity != file.identity || is_fresh(identity, now)) suspects.push_back(i);
    }
    return suspects;
}

void digest(object::Store& store, const Plan& plan, const std::vector<std::size_t>& positions,
            std::vector<Observation>& observed) {
    const auto files = files_of(plan);
    for (const std::size_t position : positions) {
        Observation& observation = observed.at(position);
        const auto read = read_back(store, files.at(position)->name);
        if (read.ok()) {
            observation.sha256 = read->sha256;
            observation.entry->identity = read->identity;
        } else if (read.error().code() == Code::not_found) {
            observation.entry.reset();
        } else {
            observation.failure = read.error();
        }
    }
}

std::vector<Refusal> judge(const Plan& plan, const std::vector<Observation>& observed) {
    return Judge(plan).run(observed, [&](const PlannedFile& file, std::size_t position) {
        return find_drift(file, observed[position]);
    });
}

std::vector<Refusal> judge(const Plan& plan, const std::vector<Observation>& before,
                           const std::vector<Observation>& after) {
    const auto judge_file = [&](const PlannedFile& file,
                                std::size_t position) -> std::optional<InventoryDrift> {
        const Observation& now = after[position];
        ASSERT(before.at(position).entry.has_value());
        const object::Identity& then = before[position].entry->identity;
        const bool is_same = is_object(now) && now.entry->identity == then;
        if (!is_same) return make_drift(file, {then, before[position].sha256, false}, now);
        return now.sha256 ? find_drift(file, now) : std::nullopt;
    };
    return Judge(plan).run(after, judge_file);
}

Check verify_before(object::Store& store, const Plan& plan, env::Clock& clock) {
    Check check;
    check.observed = observe(store, plan);
    digest(store, plan, find_suspects(plan, check.observed, clock.now()), check.observed);
    check.refusals = judge(plan, check.observed);
    return check;
}

Check verify_after(object::Store& store, const Plan& plan, const Check& before, env::Clock& clock) {
    Check check;
    check.observed = observe(store, plan);
    std::vector<std::size_t> suspects;
    const auto files = files_of(plan);
    const Time now = clock.now();
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Observation& observation = check.observed.at(i);
        if (!is_object(observation) || !files[i]->sha256) continue;
        if (is_fresh(observation.entry->identity, now)) suspects.push_back(i);
    }
    digest(store, plan, suspects, check.observed);
    check.refusals = judge(plan, before.observed, check.observed);
    return check;
}

}  // namespace highwater::read
