#include "family/guarantee.h"

namespace highwater::family {

std::string_view to_text(GuaranteeKind kind) {
    switch (kind) {
        case GuaranteeKind::unknown: return "unknown";
        case GuaranteeKind::probabilistic_bound: return "probabilistic_bound";
        case GuaranteeKind::deterministic_bound: return "deterministic_bound";
        case GuaranteeKind::exact: return "exact";
    }
    return "unknown";
}

std::string_view to_text(Absence absence) {
    switch (absence) {
        case Absence::no_samples: return "no_samples";
        case Absence::too_few_samples: return "too_few_samples";
        case Absence::not_kept: return "not_kept";
    }
    return "unknown";
}

Readout make_exact(double value) {
    return Estimate{.value = value, .guarantee = Guarantee::exact(), .error = 0};
}

}  // namespace highwater::family
