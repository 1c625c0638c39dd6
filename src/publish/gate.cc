#include "publish/gate.h"

#include "base/try.h"
#include "publish/decide.h"
#include "publish/examine.h"
#include "publish/gather.h"
#include "publish/registration.h"

namespace highwater::publish {

namespace {

using catalog::CommitOutcome;

/// One passage through the gate: the sources it reads from, what it found, and how long that took.
class Passage {
public:
    Passage(Sources sources, const Submission& submission, const Resources& resources,
            const Watch& watch)
        : sources_(sources),
          submission_(submission),
          resources_(resources),
          watch_(watch),
          stage_started_(sources.clock.steady()) {}

    /// Gathers and decides, stage by stage, until the verdict is there.
    Result<GateReport> audit();

    /// Makes an accepted publication visible, and says what came of any.
    Result<Outcome> conclude(GateReport report);

    /// The report with what the passage cost so far.
    GateReport finish(GateReport report) {
        report.durations = durations_;
        report.ledger = sources_.store.ledger();
        return report;
    }

private:
    void end_stage(std::string_view stage) {
        const Duration now = sources_.clock.steady();
        durations_.push_back({stage, now - stage_started_});
        stage_started_ = now;
    }

    Result<Outcome> commit(GateReport report);
    Result<Outcome> judge(GateReport report, const catalog::Commit& commit, CommitOutcome outcome);
    Result<Outcome> look_up(GateReport report, const catalog::Commit& commit, const Error& error);
    Outcome register_as(GateReport report, const catalog::Commit& commit,
                        catalog::GenerationRecord record);

    Sources sources_;
    const Submission& submission_;
    const Resources& resources_;
    const Watch& watch_;
    Facts facts_;
    std::vector<StageDuration> durations_;
    Duration stage_started_;
};

Result<GateReport> Passage::audit() {
    Decision decision(submission_);
    const auto wants_more = [&](std::string_view stage) {
        const bool goes_on = decision.advance(facts_);
        end_stage(stage);
        return goes_on;
    };
    if (!wants_more("manifest")) return decision.take_report();

    facts_.tables = TRY(gather_tables(sources_));
    if (!wants_more("tables")) return decision.take_report();

    facts_.key = TRY(gather_key(sources_, submission_));
    if (!wants_more("key")) return decision.take_report();

    facts_.basis = TRY(gather_basis(sources_, submission_, *facts_.tables));
    if (!wants_more("basis")) return decision.take_report();

    facts_.inventory = TRY(gather_inventory(sources_, submission_, *facts_.basis, watch_));
    if (!wants_more("inventory")) return decision.take_report();

    const auto work = make_work(submission_, *facts_.basis, *facts_.inventory);
    facts_.objects = TRY(examine_all(sources_.store, work, resources_, watch_));
    if (!wants_more("objects")) return decision.take_report();

    facts_.relisting = TRY(gather_relisting(sources_, facts_, watch_));
    wants_more("audit");
    return decision.take_report();
}

Result<Outcome> Passage::conclude(GateReport report) {
    if (report.verdict == Verdict::rejected) {
        return Outcome{Rejected{std::move(report)}, std::nullopt};
    }
    if (report.verdict == Verdict::repeated) {
        const KeyFacts& key = *facts_.key;
        const catalog::GenerationRecord& record = key.with_key ? *key.with_key : *key.with_batch;
        return Outcome{Repeated{std::move(report), record}, std::nullopt};
    }
    return commit(std::move(report));
}

Result<Outcome> Passage::commit(GateReport report) {
    TRY(verify_not_stopped(watch_.stop));
    const catalog::Commit commit = make_commit(submission_, facts_, report, sources_.clock.now());
    sources_.store.add_catalog_round_trips(1);
    auto outcome = sources_.catalog.commit(commit);
    end_stage("commit");
    if (outcome.ok()) return judge(std::move(report), commit, *std::move(outcome));
    if (outcome.error().code() != Code::outcome_unknown) {
        return Error(outcome.error()).within("commit");
    }
    return look_up(std::move(report), commit, outcome.error());
}

Outcome Passage::register_as(GateReport report, const catalog::Commit& commit,
                             catalog::GenerationRecord record) {
    report.generation = record.generation;
    std::vector<catalog::Partition> partitions = commit.partitions;
    for (catalog::Partition& partition : partitions) partition.changed = record.generation.number;
    return {Registered{std::move(report), std::move(record), std::move(partitions)}, std::nullopt};
}

Result<Outcome> Passage::judge(GateReport report, const catalog::Commit& commit,
                               CommitOutcome outcome) {
    using Kind = CommitOutcome::Kind;
    if (!outcome.record && outcome.kind != Kind::moved) {
        return Error(Code::corrupt,
                     "the catalog did not say which generation it meant: " + outcome.what);
    }
    switch (outcome.kind) {
        case Kind::committed:
            return register_as(std::move(report), commit, *std::move(outcome.record));
        case Kind::repeated:
            report.verdict = Verdict::repeated;
            report.generation = outcome.record->generation;
            return Outcome{Repeated{std::move(report), *std::move(outcome.record)}, std::nullopt};
        case Kind::conflict:
            report.verdict = Verdict::conflict;
            report.generation = outcome.record->generation;
            report.winner = outcome.record->batch;
            return Outcome{Conflict{std::move(report), *std::move(outcome.record)}, std::nullopt};
        case Kind::reused:
            add_findings(report, find_key_problems({.with_key = outcome.record, .with_batch = {}},
                                                   commit.publication));
            return Outcome{Rejected{std::move(report)}, std::nullopt};
        case Kind::moved: break;
    }
    const catalog::View now = TRY(gather_tables(sources_));
    add_findings(report, find_move(commit.basis, now, outcome.what));
    return Outcome{Rejected{std::move(report)}, std::nullopt};
}

/// The commit may have happened: the catalog is asked, and nothing is undone or done again.
Result<Outcome> Passage::look_up(GateReport report, const catalog::Commit& commit,
                                 const Error& error) {
    using By = catalog::Catalog::By;
    sources_.store.add_catalog_round_trips(1);
    auto found = sources_.catalog.find({By::Kind::key, commit.idempotency_key, 0});
    if (found.ok() && *found && (*found)->publication == commit.publication) {
        return register_as(std::move(report), commit, **std::move(found));
    }
    return Error(Code::outcome_unknown,
                 "commit: " + error.message() +
                     "; either all of the publication is visible or nothing: publish it again");
}

catalog::Attempt make_attempt(const GateReport& report, Time now) {
    return {.id = 0,
            .idempotency_key = report.idempotency_key,
            .batch = report.batch,
            .publication = report.publication.value_or(Digest()),
            .number = 0,
            .accepted = report.verdict == Verdict::accepted || report.verdict == Verdict::repeated,
            .code = std::string(code_text(report)),
            .report_json = format_json(to_json(report)),
            .time = now};
}

GateReport& report_of(Outcome& outcome) {
    return std::visit([](auto& value) -> GateReport& { return value.report; }, outcome.value);
}

}  // namespace

const GateReport& Outcome::report() const {
    return std::visit([](const auto& of) -> const GateReport& { return of.report; }, value);
}

Result<GateReport> Gate::check(const Submission& submission, const Watch& watch) {
    object::MeteredStore store(store_);
    Passage passage({store, catalog_, journal_, clock_}, submission, resources_, watch);
    return passage.finish(TRY(passage.audit()));
}

Result<Outcome> Gate::publish(const Submission& submission, const Watch& watch) {
    object::MeteredStore store(store_);
    Passage passage({store, catalog_, journal_, clock_}, submission, resources_, watch);
    Outcome outcome = TRY(passage.conclude(TRY(passage.audit())));
    GateReport& report = report_of(outcome);
    report = passage.finish(std::move(report));
    const auto filed = journal_.add_attempt(make_attempt(report, clock_.now()));
    if (filed.ok()) {
        report.attempt = filed->number;
    } else {
        outcome.journal_failure = filed.error();
    }
    return outcome;
}

}  // namespace highwater::publish
