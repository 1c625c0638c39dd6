#include "sqlite_fault_vfs.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/assert.h"
#include "env/random.h"

namespace highwater::catalog {

namespace {

constexpr std::size_t sector_size = 512;

/// What SQLite calls a file: this struct, with the file of the VFS beneath right behind it.
struct FaultyFile {
    sqlite3_file base;
    SqliteFaultVfs* vfs;
    std::string* path;  // Owned.
};

FaultyFile& self(sqlite3_file* file) {
    return *reinterpret_cast<FaultyFile*>(file);
}

sqlite3_file* beneath(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(&self(file) + 1);
}

std::optional<std::string> read_file(const std::string& path) {
    if (!std::filesystem::exists(path)) return std::nullopt;
    std::string bytes(std::filesystem::file_size(path), '\0');
    std::ifstream(path, std::ios::binary)
        .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

}  // namespace

struct SqliteFaultVfs::Impl {
    sqlite3_vfs vfs{};
    sqlite3_vfs* base = nullptr;

    static SqliteFaultVfs& owner(sqlite3_vfs* vfs) {
        return *static_cast<SqliteFaultVfs*>(vfs->pAppData);
    }
    static sqlite3_vfs* base_of(sqlite3_vfs* vfs) { return owner(vfs).impl_->base; }

    /// Runs `call`, unless it fails: then before its effect or after it.
    template <typename Call>
    static int around(SqliteFaultVfs& vfs, int error, Call call) {
        if (vfs.is_dead_) return error;
        if (!vfs.fault_ || !vfs.fault_->fires()) return call();
        if (vfs.fault_->when() == testkit::Fault::When::after_effect) static_cast<void>(call());
        return error;
    }

    /// As `around`, for calls that take a lock: one that failed took none.
    template <typename Call>
    static int around_lock(SqliteFaultVfs& vfs, int error, Call call) {
        vfs.has_refused_ = vfs.is_dead_ || (vfs.fault_ && vfs.fault_->fires());
        return vfs.has_refused_ ? error : call();
    }

    static File& tracked(sqlite3_file* file) { return self(file).vfs->files_[*self(file).path]; }

    static int close(sqlite3_file* file) {
        delete self(file).path;
        return beneath(file)->pMethods->xClose(beneath(file));
    }

    static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
        return around(*self(file).vfs, SQLITE_IOERR_READ, [&] {
            return beneath(file)->pMethods->xRead(beneath(file), out, size, offset);
        });
    }

    static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
        if (self(file).vfs->is_full_) {
            static_cast<void>(
                beneath(file)->pMethods->xWrite(beneath(file), bytes, size / 2, offset));
            return SQLITE_FULL;
        }
        return around(*self(file).vfs, SQLITE_IOERR_WRITE, [&] {
            tracked(file).unsynced.push_back(
                {Change::Kind::write,
                 static_cast<std::uint64_t>(offset),
                 {static_cast<const char*>(bytes), static_cast<std::size_t>(size)}});
            return beneath(file)->pMethods->xWrite(beneath(file), bytes, size, offset);
        });
    }

    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        return around(*self(file).vfs, SQLITE_IOERR_TRUNCATE, [&] {
            tracked(file).unsynced.push_back(
                {Change::Kind::truncate, static_cast<std::uint64_t>(size), ""});
            return beneath(file)->pMethods->xTruncate(beneath(file), size);
        });
    }

    /// Syncs the files of this model alone: the machine of the test does not lose its power.
    static int sync(sqlite3_file* file, int) {
        return around(*self(file).vfs, SQLITE_IOERR_FSYNC, [&] {
            File& state = tracked(file);
            for (const Change& change : state.unsynced) apply(change, state.durable);
            state.unsynced.clear();
            return SQLITE_OK;
        });
    }

    static int file_size(sqlite3_file* file, sqlite3_int64* size) {
        return around(*self(file).vfs, SQLITE_IOERR_FSTAT,
                      [&] { return beneath(file)->pMethods->xFileSize(beneath(file), size); });
    }

    static int lock(sqlite3_file* file, int level) {
        return around_lock(*self(file).vfs, SQLITE_IOERR_LOCK,
                           [&] { return beneath(file)->pMethods->xLock(beneath(file), level); });
    }

    static int unlock(sqlite3_file* file, int level) {
        return beneath(file)->pMethods->xUnlock(beneath(file), level);
    }

    static int check_reserved_lock(sqlite3_file* file, int* out) {
        return around_lock(*self(file).vfs, SQLITE_IOERR_CHECKRESERVEDLOCK, [&] {
            return beneath(file)->pMethods->xCheckReservedLock(beneath(file), out);
        });
    }

    static int file_control(sqlite3_file* file, int operation, void* argument) {
        return beneath(file)->pMethods->xFileControl(beneath(file), operation, argument);
    }

    static int sector(sqlite3_file* file) {
        return beneath(file)->pMethods->xSectorSize(beneath(file));
    }

    static int characteristics(sqlite3_file* file) {
        return beneath(file)->pMethods->xDeviceCharacteristics(beneath(file));
    }

    static int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
        return around_lock(*self(file).vfs, SQLITE_IOERR_SHMMAP, [&] {
            return beneath(file)->pMethods->xShmMap(beneath(file), region, size, extend, out);
        });
    }

    static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
        const auto call = [&] {
            return beneath(file)->pMethods->xShmLock(beneath(file), offset, count, flags);
        };
        if (flags & SQLITE_SHM_UNLOCK) return call();
        return around_lock(*self(file).vfs, SQLITE_IOERR_SHMLOCK, call);
    }

    static void shm_barrier(sqlite3_file* file) {
        beneath(file)->pMethods->xShmBarrier(beneath(file));
    }

    static int shm_unmap(sqlite3_file* file, int remove) {
        return beneath(file)->pMethods->xShmUnmap(beneath(file), remove);
    }

    static const sqlite3_io_methods methods;

    static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                    int* out_flags) {
        file->pMethods = nullptr;
        ASSERT(path);  // The catalog keeps temporary data in memory.
        const auto before = read_file(path);
        const int rc = around_lock(owner(vfs), SQLITE_CANTOPEN, [&] {
            std::memset(beneath(file), 0, static_cast<std::size_t>(base_of(vfs)->szOsFile));
            return base_of(vfs)->xOpen(base_of(vfs), path, beneath(file), flags, out_flags);
        });
        if (rc != SQLITE_OK) return rc;
        self(file).vfs = &owner(vfs);
        self(file).path = new std::string(path);
        file->pMethods = &methods;
        File& state = owner(vfs).files_.try_emplace(path, File{before, {}}).first->second;
        if (!before) state.unsynced.push_back({Change::Kind::truncate, 0, ""});  // It is made.
        return SQLITE_OK;
    }

    static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
        return around(owner(vfs), SQLITE_IOERR_DELETE, [&] {
            const auto found = owner(vfs).files_.find(path);
            if (found != owner(vfs).files_.end()) {
                found->second.unsynced.push_back({Change::Kind::remove, 0, ""});
                if (sync_folder) found->second = {};
            }
            return base_of(vfs)->xDelete(base_of(vfs), path, 0);
        });
    }

    static int access(sqlite3_vfs* vfs, const char* path, int flags, int* out) {
        return around(owner(vfs), SQLITE_IOERR_ACCESS,
                      [&] { return base_of(vfs)->xAccess(base_of(vfs), path, flags, out); });
    }

    static int full_path(sqlite3_vfs* vfs, const char* path, int size, char* out) {
        return base_of(vfs)->xFullPathname(base_of(vfs), path, size, out);
    }

    static int randomness(sqlite3_vfs* vfs, int size, char* out) {
        return base_of(vfs)->xRandomness(base_of(vfs), size, out);
    }

    static int pause(sqlite3_vfs*, int microseconds) { return microseconds; }

    static int current_time(sqlite3_vfs* vfs, sqlite3_int64* out) {
        return base_of(vfs)->xCurrentTimeInt64(base_of(vfs), out);
    }

    static int last_error(sqlite3_vfs* vfs, int size, char* out) {
        if (owner(vfs).has_refused_) return EIO;
        return base_of(vfs)->xGetLastError(base_of(vfs), size, out);
    }
};

const sqlite3_io_methods SqliteFaultVfs::Impl::methods{
    .iVersion = 2,
    .xClose = close,
    .xRead = read,
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = sector,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

SqliteFaultVfs::SqliteFaultVfs() : impl_(std::make_unique<Impl>()) {
    impl_->base = sqlite3_vfs_find(nullptr);
    sqlite3_vfs& vfs = impl_->vfs;
    vfs.iVersion = 2;
    vfs.szOsFile = static_cast<int>(sizeof(FaultyFile)) + impl_->base->szOsFile;
    vfs.mxPathname = impl_->base->mxPathname;
    vfs.zName = name;
    vfs.pAppData = this;
    vfs.xOpen = Impl::open;
    vfs.xDelete = Impl::remove;
    vfs.xAccess = Impl::access;
    vfs.xFullPathname = Impl::full_path;
    vfs.xRandomness = Impl::randomness;
    vfs.xSleep = Impl::pause;
    vfs.xGetLastError = Impl::last_error;
    vfs.xCurrentTimeInt64 = Impl::current_time;
    sqlite3_vfs_register(&vfs, 0);
}

SqliteFaultVfs::~SqliteFaultVfs() {
    sqlite3_vfs_unregister(&impl_->vfs);
}

void SqliteFaultVfs::start_again() {
    is_dead_ = false;
    files_.clear();
}

void SqliteFaultVfs::apply(const Change& change, std::optional<std::string>& content) {
    switch (change.kind) {
        case Change::Kind::remove: content.reset(); return;
        case Change::Kind::truncate:
            if (!content) content.emplace();
            content->resize(change.offset);
            return;
        case Change::Kind::write:
            if (!content) content.emplace();
            if (content->size() < change.offset + change.bytes.size()) {
                content->resize(change.offset + change.bytes.size());
            }
            content->replace(change.offset, change.bytes.size(), change.bytes);
            return;
    }
}

void SqliteFaultVfs::cut_power(std::optional<std::uint64_t> keep_seed) {
    ASSERT(is_dead_);
    env::SeededRandom coin(keep_seed.value_or(0));
    for (auto& [path, file] : files_) {
        for (Change& change : file.unsynced) {
            if (!keep_seed || coin.next() % 2 == 0) continue;
            // A write may also have come half-way, to the end of some sector.
            if (change.kind == Change::Kind::write && coin.next() % 4 == 0) {
                const std::size_t sectors = change.bytes.size() / sector_size;
                change.bytes.resize(coin.next() % (sectors + 1) * sector_size);
            }
            apply(change, file.durable);
        }
        std::filesystem::remove(path);
        if (file.durable) std::ofstream(path, std::ios::binary) << *file.durable;
    }
}

}  // namespace highwater::catalog
