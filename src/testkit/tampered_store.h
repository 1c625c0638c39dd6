#pragma once

#include <utility>

#include "object/memory_store.h"

namespace highwater::testkit {

/// A store in memory that someone else writes to as well, past every rule of the port: what a gate
/// and a reader must notice.
class TamperedStore final : public object::MemoryStore {
public:
    using MemoryStore::MemoryStore;

    /// Puts `bytes` under `name`, in place of whatever is there.
    void replace(const object::Name& name, Bytes bytes) {
        plant(name, std::move(bytes), object::Entry::Kind::object);
    }

    /// Puts something under `name` that is not a regular file.
    void plant_other(const object::Name& name) { plant(name, {}, object::Entry::Kind::other); }
};

}  // namespace highwater::testkit
