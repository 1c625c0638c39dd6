#include "engine/arrow_engine.h"

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/dataset/dataset.h>
#include <arrow/dataset/discovery.h>
#include <arrow/dataset/file_parquet.h>
#include <arrow/dataset/scanner.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/mutex.h"
#include "base/text.h"
#include "base/try.h"
#include "engine/arrow_columns.h"
#include "engine/arrow_files.h"
#include "engine/facts.h"
#include "engine/scan.h"

namespace highwater::engine {

namespace {

namespace cp = ::arrow::compute;
namespace ds = ::arrow::dataset;
using parquet::RowBatch;

constexpr std::int64_t batch_rows = 8'192;
constexpr const char* filename_field = "__filename";

template <typename T>
Result<T> take(::arrow::Result<T> result) {
    if (!result.ok()) return error_of(result.status());
    return *std::move(result);
}

Result<void> check(const ::arrow::Status& status) {
    if (!status.ok()) return error_of(status);
    return {};
}

Result<void> initialize_arrow() {
    static const ::arrow::Status status = cp::Initialize();
    return check(status);
}

/// Memory for scans, up to a limit that all scans with the same limit share. It is never given up:
/// Arrow's threads hand back what they hold a little after a scan has ended.
::arrow::MemoryPool* find_pool(std::uint64_t limit) {
    struct Pool {
        explicit Pool(std::uint64_t limit)
            : counted(::arrow::default_memory_pool()),
              capped(&counted, static_cast<std::int64_t>(limit)) {}
        ::arrow::ProxyMemoryPool counted;
        ::arrow::CappedMemoryPool capped;
    };
    static auto* const mutex = new Mutex();
    static auto* const pools = new std::map<std::uint64_t, std::unique_ptr<Pool>>();
    const Lock lock(*mutex);
    auto& pool = (*pools)[limit];
    if (pool == nullptr) pool = std::make_unique<Pool>(limit);
    return &pool->capped;
}

Error stopped() {
    return {Code::cancelled, "the scan was stopped"};
}

/// Everything that one call needs of Arrow, and what it cost.
class ArrowScan {
public:
    ArrowScan(const read::PlannedTable& table, const EngineLimits& limits)
        : table_(table), pool_(find_pool(limits.memory_bytes)) {}

    const model::Schema& schema() const { return table_.table.current().schema; }
    const std::shared_ptr<::arrow::Schema>& arrow_schema() const { return arrow_schema_; }
    EngineLedger ledger() const { return meter_.ledger(); }

    using Fragments = std::map<std::string, std::shared_ptr<ds::FileFragment>, std::less<>>;
    const Fragments& fragments() const { return fragments_; }

    /// Finds every file beneath the prefixes of the planned hours.
    Result<void> discover() {
        TRY(initialize_arrow());
        make_schema();
        for (const auto& [root, prefix] : prefixes()) {
            TRY(discover_beneath(TRY(path_of({root, prefix}))));
        }
        return {};
    }

    /// The rows of some of the files.
    Result<std::shared_ptr<::arrow::RecordBatchReader>> scan(
        const std::vector<std::string>& paths, const std::vector<std::string>& columns,
        const cp::Expression& filter) {
        std::vector<std::shared_ptr<ds::FileFragment>> chosen;
        for (const std::string& path : paths) {
            const auto fragment = fragments_.find(path);
            if (fragment == fragments_.end()) {
                return Error(Code::not_found, "Arrow: no file " + format_quoted(path));
            }
            chosen.push_back(fragment->second);
        }
        const auto dataset = TRY(take(ds::FileSystemDataset::Make(
            arrow_schema_, cp::literal(true), format_, meter_.file_system(), std::move(chosen))));
        ds::ScannerBuilder builder(dataset);
        auto fields = columns;
        fields.emplace_back(filename_field);
        TRY(check(builder.Project(std::move(fields))));
        TRY(check(builder.Filter(filter)));
        TRY(check(builder.UseThreads(false)));
        TRY(check(builder.BatchSize(batch_rows)));
        TRY(check(builder.Pool(pool_)));
        scanner_ = TRY(take(builder.Finish()));
        return take(scanner_->ToRecordBatchReader());
    }

private:
    void make_schema() {
        std::vector<std::shared_ptr<::arrow::Field>> fields;
        for (const model::Column& column : schema().columns) {
            fields.push_back(
                ::arrow::field(column.name, arrow_type(make_result_column(column, schema().unit))));
        }
        arrow_schema_ = ::arrow::schema(std::move(fields));
        format_ = std::make_shared<ds::ParquetFileFormat>();
        auto options = std::make_shared<ds::ParquetFragmentScanOptions>();
        options->reader_properties->set_page_checksum_verification(true);
        format_->default_fragment_scan_options = std::move(options);
    }

    /// Where the planned hours lie: root and prefix. An hour without files is looked for at the
    /// table's own place.
    std::set<std::pair<std::string, std::string>> prefixes() const {
        std::map<model::Hour, std::set<std::string>> roots;
        for (const read::PlannedFile& file : table_.files) {
            roots[file.hour].insert(file.name.root);
        }
        std::set<std::pair<std::string, std::string>> found;
        for (const read::PlannedHour& hour : table_.hours) {
            const auto prefix = table_.table.pattern.render(hour.hour);
            if (!prefix) continue;
            auto& places = roots[hour.hour];
            if (places.empty()) places.insert(table_.table.location);
            for (const std::string& root : places) found.emplace(root, *prefix);
        }
        return found;
    }

    Result<void> discover_beneath(const std::string& folder) {
        ::arrow::fs::FileSelector selector;
        selector.base_dir = folder;
        selector.allow_not_found = true;
        selector.recursive = true;
        ds::FileSystemFactoryOptions options;
        options.selector_ignore_prefixes = {};  // Nothing is hidden by its name.
        const auto factory = TRY(take(
            ds::FileSystemDatasetFactory::Make(meter_.file_system(), selector, format_, options)));
        ds::FinishOptions finish;
        finish.schema = arrow_schema_;
        finish.inspect_options.fragments = 0;
        const auto dataset = TRY(take(factory->Finish(finish)));
        auto fragments = TRY(take(dataset->GetFragments()));
        for (;;) {
            const auto fragment = TRY(take(fragments.Next()));
            if (fragment == nullptr) return {};
            auto file = std::static_pointer_cast<ds::FileFragment>(fragment);
            fragments_.emplace(file->source().path(), std::move(file));
        }
    }

    const read::PlannedTable& table_;
    FileMeter meter_;
    ::arrow::MemoryPool* pool_;
    std::shared_ptr<::arrow::Schema> arrow_schema_;
    std::shared_ptr<ds::ParquetFileFormat> format_;
    Fragments fragments_;
    std::shared_ptr<ds::Scanner> scanner_;  // Outlives its reader.
};

cp::Expression compare(Comparison comparison, cp::Expression left, cp::Expression right) {
    switch (comparison) {
        case Comparison::equal: return cp::equal(std::move(left), std::move(right));
        case Comparison::less: return cp::less(std::move(left), std::move(right));
        case Comparison::at_most: return cp::less_equal(std::move(left), std::move(right));
        case Comparison::greater: return cp::greater(std::move(left), std::move(right));
        case Comparison::at_least: return cp::greater_equal(std::move(left), std::move(right));
    }
    return cp::literal(false);
}

/// `value` in the type of `column`, so that nothing is cast when they are compared.
Result<std::shared_ptr<::arrow::Scalar>> make_scalar(const ResultColumn& column,
                                                     std::int64_t value) {
    parquet::Cells cells(column.type);
    cells.append_integer(value);
    const auto array = TRY(make_array(column, cells));
    return take(array->GetScalar(0));
}

Result<cp::Expression> make_literal(const ResolvedCondition& condition, model::TimeUnit unit) {
    const ResultColumn column = make_result_column(*condition.column, unit);
    if (const auto* boolean = std::get_if<bool>(&condition.literal)) return cp::literal(*boolean);
    if (const auto* number = std::get_if<double>(&condition.literal)) return cp::literal(*number);
    if (const auto* text = std::get_if<std::string>(&condition.literal)) return cp::literal(*text);
    if (const auto* integer = std::get_if<std::int64_t>(&condition.literal)) {
        return cp::literal(TRY(make_scalar(column, *integer)));
    }
    const Time time = std::get<Time>(condition.literal);
    return cp::literal(TRY(make_scalar(column, ceil_to_unit(time, unit))));
}

Result<cp::Expression> make_filter(const ResolvedScan& scan, const read::PlannedTable& table) {
    const model::Schema& schema = table.table.current().schema;
    const ResultColumn time = make_result_column(*schema.find(schema.time_column), schema.unit);
    const auto bound = [&](Time at) { return make_scalar(time, ceil_to_unit(at, schema.unit)); };
    const cp::Expression field = cp::field_ref(::arrow::FieldRef(schema.time_column));
    std::vector<cp::Expression> all = {
        cp::greater_equal(field, cp::literal(TRY(bound(table.range.from)))),
        cp::less(field, cp::literal(TRY(bound(table.range.to))))};
    for (const ResolvedCondition& condition : scan.conditions) {
        cp::Expression cell = cp::field_ref(::arrow::FieldRef(condition.column->name));
        if (condition.column->type == model::ColumnType::float32) {
            cell = cp::call("cast", {cell}, cp::CastOptions::Safe(::arrow::float64()));
        }
        all.push_back(compare(condition.comparison, std::move(cell),
                              TRY(make_literal(condition, schema.unit))));
    }
    return cp::and_(all);
}

Result<RowBatch> to_rows(const ::arrow::RecordBatch& batch,
                         const std::vector<ResultColumn>& columns) {
    RowBatch rows;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        parquet::Cells& cells = rows.columns.emplace_back(columns[i].type);
        TRY(append_array(*batch.column(static_cast<int>(i)), columns[i], cells));
    }
    return rows;
}

std::vector<std::string> names_of(const std::vector<const model::Column*>& columns) {
    std::vector<std::string> names;
    for (const model::Column* const column : columns) names.push_back(column->name);
    return names;
}

/// Streams every row of `paths` into `found`, with what their footers say.
Result<void> add_facts(ArrowScan& arrow_scan, const std::vector<std::string>& paths,
                       const std::stop_token& stop, FoundFacts& found) {
    const model::Schema& schema = arrow_scan.schema();
    std::vector<ResultColumn> columns;
    std::vector<std::string> names;
    for (const model::Column& column : schema.columns) {
        columns.push_back(make_result_column(column, schema.unit));
        names.push_back(column.name);
    }
    columns.push_back({.name = std::string(filename_column)});
    const auto reader = TRY(arrow_scan.scan(paths, names, cp::literal(true)));
    FoundFacts facts;
    for (;;) {
        if (stop.stop_requested()) return stopped();
        const auto batch = TRY(take(reader->Next()));
        if (batch == nullptr) break;
        RowBatch rows = TRY(to_rows(*batch, columns));
        const parquet::Cells filenames = std::move(rows.columns.back());
        rows.columns.pop_back();
        TRY(facts.add(rows, schema, [&](std::size_t row) { return filenames.bytes_at(row); }));
    }
    for (const std::string& path : paths) {
        const auto fragment = std::static_pointer_cast<ds::ParquetFileFragment>(
            arrow_scan.fragments().find(path)->second);
        const auto metadata = fragment->metadata();
        if (metadata == nullptr) continue;
        facts.footer_rows[path] = static_cast<std::uint64_t>(metadata->num_rows());
    }
    found.sums.merge(facts.sums);
    found.footer_rows.merge(facts.footer_rows);
    return {};
}

Result<FoundFacts> find_facts(ArrowScan& arrow_scan, const std::vector<std::string>& paths,
                              const std::stop_token& stop) {
    FoundFacts found;
    const auto add = [&](const std::vector<std::string>& some) {
        return guard([&]() -> Result<void> { return add_facts(arrow_scan, some, stop, found); });
    };
    const auto together = add(paths);
    if (together.ok()) return found;
    for (const std::string& path : paths) {
        const auto alone = add({path});
        if (alone.ok()) continue;
        const Code code = alone.error().code();
        if (code == Code::cancelled || code == Code::exhausted) return alone.error();
        found.failures.emplace(path, alone.error());
    }
    return found;
}

std::vector<object::Name> names_of(const ArrowScan::Fragments& fragments,
                                   const PlannedPaths& planned) {
    std::vector<object::Name> names;
    for (const auto& [path, fragment] : fragments) names.push_back(planned.name_of(path));
    std::ranges::sort(names);
    return names;
}

}  // namespace

ArrowDataset::ArrowDataset(std::string directory, const EngineLimits& limits)
    : directory_(std::move(directory)), limits_(limits) {}

Result<ResultTable> ArrowDataset::select_rows(const read::PlannedTable& table, const Scan& scan,
                                              std::stop_token stop) {
    return guard([&]() -> Result<ResultTable> {
        const ResolvedScan resolved = TRY(resolve_scan(scan, table.table.current().schema));
        const PlannedPaths planned = TRY(PlannedPaths::make(table));
        ArrowScan arrow_scan(table, limits_);
        TRY(arrow_scan.discover());
        ResultWriter writer(resolved.result, directory_, limits_.result);
        if (planned.paths().empty()) return std::move(writer).finish();
        const auto reader = TRY(arrow_scan.scan(planned.paths(), names_of(resolved.columns),
                                                TRY(make_filter(resolved, table))));
        for (;;) {
            if (stop.stop_requested()) return stopped();
            const auto batch = TRY(take(reader->Next()));
            if (batch == nullptr) return std::move(writer).finish();
            TRY(writer.append(TRY(to_rows(*batch, resolved.result))));
        }
    });
}

Result<EngineFacts> ArrowDataset::gather_facts(const read::PlannedTable& table,
                                               std::stop_token stop) {
    return guard([&]() -> Result<EngineFacts> {
        const PlannedPaths planned = TRY(PlannedPaths::make(table));
        ArrowScan arrow_scan(table, limits_);
        TRY(arrow_scan.discover());
        EngineFacts facts;
        facts.engine = name();
        facts.discovered = names_of(arrow_scan.fragments(), planned);
        const FoundFacts found = TRY(find_facts(arrow_scan, planned.paths(), stop));
        facts.files = make_file_facts(found, planned, planned.paths());
        facts.ledger = arrow_scan.ledger();
        return facts;
    });
}

Result<std::vector<object::Name>> ArrowDataset::discover(const read::PlannedTable& table,
                                                         EngineLedger& ledger) const {
    return guard([&]() -> Result<std::vector<object::Name>> {
        const PlannedPaths planned = TRY(PlannedPaths::make(table));
        ArrowScan arrow_scan(table, limits_);
        TRY(arrow_scan.discover());
        ledger += arrow_scan.ledger();
        return names_of(arrow_scan.fragments(), planned);
    });
}

}  // namespace highwater::engine
