#include "engine/arrow_files.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/interfaces.h>

#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace highwater::engine {

struct FileMeter::Counts {
    void add_listing(std::uint64_t files) {
        const Lock lock(mutex);
        ledger.listed_files += files;
    }

    void add_open(const std::string& path) {
        const Lock lock(mutex);
        if (opened.insert(path).second) ++ledger.opened_files;
    }

    void add_read(std::int64_t bytes) {
        const Lock lock(mutex);
        ++ledger.reads;
        ledger.bytes_read += static_cast<std::uint64_t>(bytes);
    }

    Mutex mutex;
    EngineLedger ledger GUARDED_BY(mutex);
    std::set<std::string> opened GUARDED_BY(mutex);
};

/// An open file whose reads are counted.
class FileMeter::File final : public ::arrow::io::RandomAccessFile {
public:
    File(std::shared_ptr<::arrow::io::RandomAccessFile> inner, std::shared_ptr<Counts> counts)
        : inner_(std::move(inner)), counts_(std::move(counts)) {}

    ::arrow::Status Close() override { return inner_->Close(); }
    bool closed() const override { return inner_->closed(); }
    ::arrow::Result<std::int64_t> Tell() const override { return inner_->Tell(); }
    ::arrow::Status Seek(std::int64_t position) override { return inner_->Seek(position); }
    ::arrow::Result<std::int64_t> GetSize() override { return inner_->GetSize(); }

    ::arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override {
        return count(inner_->Read(size, out));
    }
    ::arrow::Result<std::shared_ptr<::arrow::Buffer>> Read(std::int64_t size) override {
        return count(inner_->Read(size));
    }
    ::arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t size,
                                         void* out) override {
        return count(inner_->ReadAt(position, size, out));
    }
    ::arrow::Result<std::shared_ptr<::arrow::Buffer>> ReadAt(std::int64_t position,
                                                             std::int64_t size) override {
        return count(inner_->ReadAt(position, size));
    }

private:
    ::arrow::Result<std::int64_t> count(::arrow::Result<std::int64_t> read) {
        if (read.ok()) counts_->add_read(*read);
        return read;
    }
    ::arrow::Result<std::shared_ptr<::arrow::Buffer>> count(
        ::arrow::Result<std::shared_ptr<::arrow::Buffer>> read) {
        if (read.ok()) counts_->add_read((*read)->size());
        return read;
    }

    std::shared_ptr<::arrow::io::RandomAccessFile> inner_;
    std::shared_ptr<Counts> counts_;
};

class FileMeter::Files final : public ::arrow::fs::LocalFileSystem {
public:
    explicit Files(std::shared_ptr<Counts> counts) : counts_(std::move(counts)) {}

    using LocalFileSystem::GetFileInfo;
    using LocalFileSystem::OpenInputFile;

    ::arrow::Result<std::vector<::arrow::fs::FileInfo>> GetFileInfo(
        const ::arrow::fs::FileSelector& selector) override {
        auto found = LocalFileSystem::GetFileInfo(selector);
        if (!found.ok()) return found;
        std::uint64_t files = 0;
        for (const auto& info : *found) files += info.IsFile() ? 1 : 0;
        counts_->add_listing(files);
        return found;
    }

    ::arrow::Result<std::shared_ptr<::arrow::io::RandomAccessFile>> OpenInputFile(
        const std::string& path) override {
        ARROW_ASSIGN_OR_RAISE(auto file, LocalFileSystem::OpenInputFile(path));
        counts_->add_open(path);
        return std::make_shared<File>(std::move(file), counts_);
    }

private:
    std::shared_ptr<Counts> counts_;
};

FileMeter::FileMeter()
    : counts_(std::make_shared<Counts>()), files_(std::make_shared<Files>(counts_)) {}

FileMeter::~FileMeter() = default;

std::shared_ptr<::arrow::fs::FileSystem> FileMeter::file_system() const {
    return files_;
}

EngineLedger FileMeter::ledger() const {
    const Lock lock(counts_->mutex);
    return counts_->ledger;
}

}  // namespace highwater::engine
