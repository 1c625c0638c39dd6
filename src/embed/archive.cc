#include "embed/archive.h"

#include "base/try.h"
#include "cache/file.h"
#include "cache/local_disk.h"
#include "catalog/sqlite_catalog.h"
#include "embed/metered_catalog.h"
#include "embed/offline_verifier.h"
#include "embed/stepping_disk.h"
#include "object/file_system.h"
#include "object/local_store.h"

namespace highwater::embed {

/// Everything an archive owns, in the order in which it depends on each other.
struct Archive::Parts {
    Parts(const ArchiveOptions& options, Layout found,
          std::unique_ptr<catalog::SqliteCatalog> first,
          std::unique_ptr<catalog::SqliteCatalog> second)
        : layout(std::move(found)),
          clock(options.clock),
          random(options.random),
          on_step(options.on_step),
          stop(options.stop),
          database(std::move(first)),
          second_database(std::move(second)),
          disk(local_disk, options.on_step),
          cache_file(disk, options.clock,
                     options.cache_file.empty() ? layout.cache : options.cache_file),
          metrics(layout.metrics),
          log(layout.log) {}

    const Layout layout;
    env::Clock& clock;
    env::Random& random;
    const std::function<void(std::string_view)> on_step;
    const std::stop_token stop;

    object::SystemFileSystem files;
    object::LocalStore local_store{files, random};
    object::MeteredStore store{local_store};
    const std::unique_ptr<catalog::SqliteCatalog> database;
    const std::unique_ptr<catalog::SqliteCatalog> second_database;
    MeteredCatalog catalog{*database};
    MeteredCatalog second_catalog{*second_database};
    cache::LocalDisk local_disk;
    SteppingDisk disk;
    cache::File cache_file;
    cache::MetadataCache cache{{catalog, store, clock}, &cache_file};
    MetricsFile metrics;
    LogFile log;
};

Archive::Archive(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Archive::~Archive() = default;

Result<catalog::Generation> Archive::init(const std::string& directory, env::Random& random) {
    const Layout layout = TRY(make_layout(directory));
    const auto made = TRY(catalog::SqliteCatalog::create(layout.catalog, random));
    return made->head();
}

Result<std::unique_ptr<Archive>> Archive::open(const ArchiveOptions& options) {
    Layout layout = TRY(find_layout(options.directory));
    auto first = TRY(catalog::SqliteCatalog::open(layout.catalog));
    auto second = TRY(catalog::SqliteCatalog::open(layout.catalog));
    auto parts =
        std::make_unique<Parts>(options, std::move(layout), std::move(first), std::move(second));
    // A cache that cannot be read is an empty one: slow, never wrong.
    static_cast<void>(parts->cache.take_in().ok());
    return std::unique_ptr<Archive>(new Archive(std::move(parts)));
}

const Layout& Archive::layout() const {
    return parts_->layout;
}
catalog::Catalog& Archive::catalog() {
    return parts_->catalog;
}
catalog::Journal& Archive::journal() {
    return *parts_->database;
}
object::Store& Archive::store() {
    return parts_->store;
}
cache::MetadataCache& Archive::cache() {
    return parts_->cache;
}
env::Clock& Archive::clock() {
    return parts_->clock;
}
env::Random& Archive::random() {
    return parts_->random;
}

RecordKeeper Archive::record_keeper() {
    return {parts_->store, parts_->catalog, parts_->layout.records};
}

Tables Archive::tables() {
    return {parts_->catalog, parts_->clock, parts_->random, record_keeper()};
}

Intake Archive::intake() {
    return Intake({.store = parts_->store,
                   .catalog = parts_->catalog,
                   .journal = *parts_->database,
                   .clock = parts_->clock,
                   .random = parts_->random,
                   .records = parts_->layout.records,
                   .spill = parts_->layout.spill,
                   .stop = parts_->stop});
}

Publisher Archive::publisher() {
    return Publisher({.store = parts_->store,
                      .catalog = parts_->catalog,
                      .journal = *parts_->database,
                      .second_catalog = parts_->second_catalog,
                      .cache = parts_->cache,
                      .clock = parts_->clock,
                      .keeper = record_keeper(),
                      .on_step = parts_->on_step});
}

Reader Archive::reader() {
    return Reader({.store = parts_->store,
                   .catalog = parts_->catalog,
                   .cache = parts_->cache,
                   .clock = parts_->clock,
                   .ledger = [this] { return ledger(); },
                   .stop = parts_->stop});
}

Prover Archive::prover() {
    return Prover({.reader = reader(),
                   .store = parts_->store,
                   .catalog = parts_->catalog,
                   .journal = *parts_->database,
                   .clock = parts_->clock,
                   .spill = parts_->layout.spill,
                   .stop = parts_->stop});
}

PlanningParts Archive::planning() {
    return {.store = parts_->store,
            .catalog = parts_->catalog,
            .cache = parts_->cache,
            .clock = parts_->clock,
            .ledger = [this] { return ledger(); },
            .spill = parts_->layout.spill,
            .stop = parts_->stop};
}

Result<Verification> Archive::verify(const VerifyOptions& options, const Progress& progress) {
    Verifier verifier(parts_->store, parts_->catalog, *parts_->database, parts_->clock);
    auto verification = TRY(verifier.verify(options, progress, parts_->stop));
    const auto ahead = record_keeper().find_ahead();
    const std::string head = catalog::format_token(verification.generation);
    if (!ahead.ok()) {
        add(verification, {Discrepancy::Kind::listing_failed, "", parts_->layout.records,
                           "readable records", ahead.error().message()});
    } else if (*ahead) {
        add(verification, {Discrepancy::Kind::catalog_behind, "", parts_->layout.catalog,
                           catalog::format_token(**ahead), head});
    } else if (const auto kept = record_keeper().keep(); !kept.ok()) {
        add(verification, {Discrepancy::Kind::listing_failed, "", parts_->layout.records,
                           "a record of " + head, kept.error().message()});
    }
    return verification;
}

object::Ledger Archive::ledger() const {
    object::Ledger ledger = parts_->store.ledger();
    ledger.catalog_round_trips +=
        parts_->catalog.round_trips() + parts_->second_catalog.round_trips();
    return ledger;
}

std::string Archive::note(std::string_view event, const Json& fields,
                          const MetricsFile::Change& change) {
    const auto logged = parts_->log.append(parts_->clock.now(), event, fields);
    const auto counted = parts_->metrics.add(change);
    if (!logged.ok()) return logged.error().message();
    return counted.ok() ? "" : counted.error().message();
}

Result<Verification> verify_offline(const std::string& directory, bool full, env::Random& random,
                                    std::stop_token stop) {
    const Layout layout = TRY(find_records(directory));
    object::SystemFileSystem files;
    object::LocalStore store(files, random);
    const auto state = TRY(replay_records(store, layout.records));
    return verify_recorded(store, state, full, std::move(stop));
}

}  // namespace highwater::embed
