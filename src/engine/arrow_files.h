#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"

// Names of Arrow that pass through here without their headers.
namespace arrow::fs {
class FileSystem;
}

namespace highwater::engine {

/// What passed through a file system of Arrow's. Lifetime: shared with it.
class FileMeter {
public:
    FileMeter();
    ~FileMeter();
    FileMeter(const FileMeter&) = delete;
    FileMeter& operator=(const FileMeter&) = delete;

    /// This machine's file system, counted here.
    std::shared_ptr<::arrow::fs::FileSystem> file_system() const;

    EngineLedger ledger() const;

private:
    class Files;
    class File;
    struct Counts;
    std::shared_ptr<Counts> counts_;
    std::shared_ptr<Files> files_;
};

}  // namespace highwater::engine
