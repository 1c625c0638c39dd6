#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catalog/partition.h"
#include "manifest/manifest.h"

namespace highwater::publish {

constexpr std::size_t manifests_max = 1'000;

struct Options {
    /// `always`: every object that is not kept is digested and its rows are fingerprinted.
    /// `never`: footers alone are read. Which one it was is told with every answer.
    catalog::DigestPolicy digest_policy = catalog::DigestPolicy::always;
    /// Kept objects are read again too.
    bool rehash = false;
};

/// What is brought to the gate.
struct Submission {
    manifest::Publication publication;
    /// What parsing found. With any, the submission is rejected at step 1 and no manifest is read.
    std::vector<manifest::Fault> faults;
    Options options;
};

/// One submission of parsed manifests. Faults say which manifest they are in, when there are
/// several.
Submission make_submission(std::vector<manifest::Parsed> parsed, const Options& options = {});

/// The batch generation; "" when there is no manifest.
std::string batch_of(const Submission& submission);

/// The idempotency key: the one that a manifest states, else the batch generation.
std::string key_of(const Submission& submission);

}  // namespace highwater::publish
