#pragma once

#include <cstddef>
#include <vector>

#include "publish/facts.h"
#include "publish/report.h"
#include "publish/submission.h"

namespace highwater::publish {

/// The verdict as it grows. Each step is decided once, as soon as the facts for it are there; steps
/// 1 to 4 and a failed listing stop, steps 5 to 9 are decided together, step 10 when all else
/// passed.
///
/// Pure: no I/O, no clock. Lifetime: borrows the submission.
class Decision {
public:
    explicit Decision(const Submission& submission);

    /// Decides what `facts` allow and was not decided before. True when more facts are wanted.
    ///
    /// Requires: `facts` has all that it had in the last call, unchanged.
    /// Cost: linear in objects and entries, in time and space.
    bool advance(const Facts& facts);

    const GateReport& report() const { return report_; }
    GateReport take_report() { return std::move(report_); }

private:
    enum class Stage : std::uint8_t { form, tables, key, basis, listings, objects, audit, done };

    /// Decides one stage if its facts are there.
    bool run_stage(const Facts& facts);
    bool add(const Findings& findings);
    bool decide_key(const KeyFacts& key);
    bool decide_listings(const InventoryFacts& inventory);
    bool decide_objects(const Facts& facts);

    const Submission& submission_;
    GateReport report_;
    Stage next_ = Stage::form;
};

/// The verdict that `facts` allow.
GateReport decide(const Submission& submission, const Facts& facts);

// The steps, each a function of its own. Every one may rely on those before it.

/// Step 1, without the catalog.
Findings find_form_problems(const Submission& submission);
/// Step 1, against the tables that there are.
Findings find_table_problems(const manifest::Publication& publication, const catalog::View& view);
Findings find_key_problems(const KeyFacts& key, const Digest& publication);
Findings find_base_problems(const manifest::Publication& publication, const BasisFacts& basis);
Findings find_location_problems(const manifest::Publication& publication, const BasisFacts& basis);
Findings find_inventory_problems(const manifest::Publication& publication,
                                 const InventoryFacts& inventory, InventoryCounts& counts);
Findings find_size_problems(const manifest::Publication& publication,
                            const InventoryFacts& inventory);
Findings find_name_problems(const manifest::Publication& publication, const Facts& facts);
Findings find_footer_problems(const manifest::Publication& publication, const Facts& facts);
Findings find_digest_problems(const manifest::Publication& publication, const Facts& facts);
Findings find_audit_problems(const manifest::Publication& publication, const Facts& facts);

/// The objects whose identity cannot prove that they are still the audited ones: changed within two
/// seconds of the audit, or after. In (hour, path) order, without digests.
std::vector<Redigest> find_recent_objects(const Facts& facts);

/// How close to the audit a change of an object may be for its ctime to be believed.
constexpr Duration ctime_margin = std::chrono::seconds(2);

/// Digest over all listings. Source: docs/formats/gate-report.md
Digest digest_of_listings(const InventoryFacts& inventory);

}  // namespace highwater::publish
