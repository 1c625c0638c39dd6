#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.h"

namespace highwater::manifest {

/// Where in a manifest something is. Becomes text only when there is something to say about it.
struct Place {
    std::optional<std::size_t> partition = std::nullopt;
    std::optional<std::size_t> object = std::nullopt;
    std::string_view field = {};

    /// The same place, one member further in.
    Place at(std::string_view member) const { return {partition, object, member}; }
};

/// "partitions[3].objects[0].path"; "" is the document.
std::string format_place(const Place& place);

/// Faults as they are found, up to a limit; more are not kept.
class FaultList {
public:
    explicit FaultList(std::size_t faults_max) : faults_max_(faults_max) {}

    void add(const Place& place, std::string what);
    void add_limit(const Place& place, std::string what);

    /// An Error is what the fault says; a value is no fault.
    template <typename T>
    void add_if_failed(const Place& place, const Result<T>& result) {
        if (!result.ok()) add(place, result.error().message());
    }

    bool is_full() const { return faults_.size() >= faults_max_; }
    bool is_empty() const { return faults_.empty(); }
    std::vector<Fault> take() { return std::move(faults_); }

private:
    std::size_t faults_max_;
    std::vector<Fault> faults_;
};

}  // namespace highwater::manifest
