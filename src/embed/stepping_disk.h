#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cache/disk.h"

namespace highwater::embed {

/// A Disk that says the name of each step before it is done, so that a test can cut a refresh
/// there.
class SteppingDisk final : public cache::Disk {
public:
    SteppingDisk(cache::Disk& inner, std::function<void(std::string_view)> on_step)
        : inner_(inner), on_step_(std::move(on_step)) {}

    Result<std::optional<cache::FileState>> find_state(const std::string& path) override {
        return inner_.find_state(path);
    }
    Result<cache::FileBytes> read(const std::string& path, std::uint64_t offset,
                                  std::uint64_t size_max) override {
        return inner_.read(path, offset, size_max);
    }
    Result<void> write(const std::string& path, std::uint64_t offset, BytesView bytes) override {
        say("cache.write");
        return inner_.write(path, offset, bytes);
    }
    Result<void> sync(const std::string& path) override {
        say("cache.sync");
        return inner_.sync(path);
    }
    Result<void> rename(const std::string& from, const std::string& to) override {
        say("cache.rename");
        return inner_.rename(from, to);
    }
    Result<std::unique_ptr<cache::DiskLock>> try_lock(const std::string& path) override {
        say("cache.lock");
        return inner_.try_lock(path);
    }

private:
    void say(std::string_view step) {
        if (on_step_) on_step_(step);
    }

    cache::Disk& inner_;
    const std::function<void(std::string_view)> on_step_;
};

}  // namespace highwater::embed
