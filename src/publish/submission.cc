#include "publish/submission.h"

namespace highwater::publish {

Submission make_submission(std::vector<manifest::Parsed> parsed, const Options& options) {
    Submission submission{.publication = {}, .faults = {}, .options = options};
    for (std::size_t i = 0; i < parsed.size(); ++i) {
        const std::string where =
            parsed.size() > 1 ? "manifests[" + std::to_string(i) + "]" : std::string();
        for (manifest::Fault& fault : parsed[i].faults) {
            if (!where.empty() && !fault.where.empty()) fault.where.insert(0, 1, '.');
            fault.where.insert(0, where);
            submission.faults.push_back(std::move(fault));
        }
        submission.publication.manifests.push_back(std::move(parsed[i].manifest));
    }
    return submission;
}

std::string batch_of(const Submission& submission) {
    const auto& manifests = submission.publication.manifests;
    return manifests.empty() ? std::string() : manifests.front().batch_generation;
}

std::string key_of(const Submission& submission) {
    for (const manifest::Manifest& manifest : submission.publication.manifests) {
        if (manifest.idempotency_key) return *manifest.idempotency_key;
    }
    return batch_of(submission);
}

}  // namespace highwater::publish
