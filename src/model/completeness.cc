#include "model/completeness.h"

namespace highwater::model {

std::string_view to_text(Completeness completeness) {
    switch (completeness) {
        case Completeness::complete: return "Complete";
        case Completeness::missing: return "Missing";
        case Completeness::stale: return "Stale";
        case Completeness::gapped: return "Gapped";
        case Completeness::incompatible: return "Incompatible";
    }
    return "Unknown";
}

}  // namespace highwater::model
