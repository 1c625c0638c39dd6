#include <algorithm>

#include "base/try.h"
#include "parquet/inspect.h"
#include "parquet/read.h"

namespace highwater::parquet {

namespace {

/// Adds the rows of one batch to `facts` and `fingerprint`.
void add_batch(const RowBatch& batch, const model::Schema& schema, ScanFacts& facts,
               model::RowFingerprint& fingerprint) {
    const model::Column* const time = schema.find(schema.time_column);
    const Cells* const times =
        time ? &batch.columns[static_cast<std::size_t>(time - schema.columns.data())] : nullptr;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        if (!add_row(fingerprint, schema, batch, row)) facts.is_time_overflow = true;
        if (!times) continue;
        if (times->is_null(row)) {
            ++facts.null_times;
            continue;
        }
        const auto at = to_time(times->integer_at(row), schema.unit);
        if (!at) continue;
        facts.min_time = std::min(facts.min_time.value_or(*at), *at);
        facts.max_time = std::max(facts.max_time.value_or(*at), *at);
    }
    facts.record_count += batch.rows();
}

Result<ScanFacts> scan_rows(const object::Reader& reader, const model::Schema& schema) {
    RowReader rows = TRY(RowReader::open(reader, schema));
    ScanFacts facts;
    model::RowFingerprint fingerprint;
    while (true) {
        const auto batch = TRY(rows.next());
        if (!batch) break;
        add_batch(*batch, schema, facts, fingerprint);
    }
    facts.row_fingerprint = to_digest(fingerprint.sum());
    return facts;
}

Result<ScanFacts> decode_rows(const object::Reader& reader) {
    RowReader rows = TRY(RowReader::open_all_columns(reader));
    ScanFacts facts;
    while (true) {
        const auto batch = TRY(rows.next());
        if (!batch) return facts;
        facts.record_count += batch->rows();
    }
}

/// Bytes that make no sense are a verdict.
Result<ScanFacts> judge(Result<ScanFacts> facts) {
    if (facts.ok()) return facts;
    const Code code = facts.error().code();
    if (code != Code::corrupt && code != Code::unsupported) return facts;
    ScanFacts refused;
    refused.verdict = code == Code::corrupt ? Verdict::footer_invalid : Verdict::unsupported;
    refused.reason = facts.error().message();
    return refused;
}

}  // namespace

Result<ScanFacts> scan_file(const object::Reader& reader, const model::Schema& schema) {
    return judge(scan_rows(reader, schema));
}

Result<ScanFacts> verify_pages(const object::Reader& reader) {
    return judge(decode_rows(reader));
}

}  // namespace highwater::parquet
