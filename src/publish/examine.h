#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "model/schema.h"
#include "object/store.h"
#include "publish/facts.h"
#include "publish/submission.h"
#include "publish/watch.h"

namespace highwater::publish {

/// What is to be found out about one object.
struct ObjectWork {
    std::uint32_t hour = 0;   // InventoryFacts::hours
    std::uint32_t match = 0;  // HourMatch::claims
    object::Name name;
    object::Identity identity;              // As listed.
    const model::Schema* schema = nullptr;  // Of the version that it was written against.
    bool is_digested = true;
    bool is_decoded = true;  // Every page; else only when its statistics cannot be believed.
};

/// The objects that must be read to judge this publication, in (hour, path) order.
///
/// Requires: the listings are whole. Lifetime: the work borrows schemas of `basis`.
std::vector<ObjectWork> make_work(const Submission& submission, const BasisFacts& basis,
                                  const InventoryFacts& inventory);

/// Reads one object. Broken bytes, and an object that went or changed meanwhile, are facts.
///
/// Errors: unavailable, cancelled.
/// Cost: the bytes are read once when digests are wanted and there are at most `held_bytes_max`.
Result<ObjectFacts> examine(object::Store& store, const ObjectWork& work,
                            std::uint64_t held_bytes_max, const std::stop_token& stop);

/// Examines every object, in threads. The facts come in the order of `work`, whatever the threads
/// do.
///
/// Errors: those of `examine`; of several the one of the first object.
Result<std::vector<ObjectFacts>> examine_all(object::Store& store,
                                             const std::vector<ObjectWork>& work,
                                             const Resources& resources, const Watch& watch);

/// SHA-256 of the object, read in pieces; nothing when it is not (or no longer) the one with
/// `identity`.
///
/// Errors: unavailable, cancelled.
Result<std::optional<Digest>> digest_object(object::Store& store, const object::Name& name,
                                            const object::Identity& identity,
                                            const std::stop_token& stop);

}  // namespace highwater::publish
