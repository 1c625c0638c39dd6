#include "catalog/checked_pages.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/mutex.h"

namespace highwater::catalog {

namespace {

constexpr auto page_size = static_cast<sqlite3_int64>(page_size_bytes);
constexpr std::size_t sealed_size = page_size_bytes - page_seal_bytes;
constexpr sqlite3_int64 header_size = 100;

using Page = std::array<char, page_size_bytes>;
using Seal = std::array<char, page_seal_bytes>;
constexpr Seal no_seal{};

/// What SQLite calls a file: this struct, with the file of the VFS beneath right behind it.
struct CheckedFile {
    sqlite3_file base;
    bool is_checked;
};
static_assert(sizeof(CheckedFile) % alignof(std::max_align_t) == 0);

sqlite3_file* beneath(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<CheckedFile*>(file) + 1);
}

bool is_checked(sqlite3_file* file) {
    return reinterpret_cast<CheckedFile*>(file)->is_checked;
}

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

Seal seal_of(const Page& page, sqlite3_int64 number) {
    Sha256 sha256;
    Bytes prefix;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        prefix += static_cast<char>(static_cast<std::uint64_t>(number) >> shift);
    }
    sha256.update(prefix);
    sha256.update({page.data(), sealed_size});
    const Digest digest = sha256.finish();
    Seal seal;
    std::memcpy(seal.data(), digest.bytes.data(), seal.size());
    return seal;
}

/// Reads page `number` (from 0) and checks its seal, which SQLite never sees: in its cache and its
/// log those bytes are zero.
int read_page(sqlite3_file* file, sqlite3_int64 number, Page& page) {
    const int rc = beneath(file)->pMethods->xRead(beneath(file), page.data(),
                                                  static_cast<int>(page_size), number * page_size);
    // Nothing there is no harm (SQLite zeroes the buffer); half a page is.
    const bool is_cut = rc == SQLITE_IOERR_SHORT_READ && !is_zero({page.data(), page.size()});
    if (rc != SQLITE_OK) return is_cut ? SQLITE_IOERR_DATA : rc;
    Seal seal;
    std::memcpy(seal.data(), page.data() + sealed_size, seal.size());
    std::memset(page.data() + sealed_size, 0, seal.size());
    return seal == no_seal || seal == seal_of(page, number) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
    // The header alone is read before the log is known, where a newer page 1 may stand: a crash may
    // have torn the one in the file, beyond its first sector.
    if (!is_checked(file) || offset + size <= header_size) {
        return beneath(file)->pMethods->xRead(beneath(file), out, size, offset);
    }
    auto* to = static_cast<char*>(out);
    const sqlite3_int64 end = offset + size;
    while (offset < end) {
        Page page;
        const sqlite3_int64 number = offset / page_size;
        const sqlite3_int64 skipped = offset % page_size;
        const int rc = read_page(file, number, page);
        if (rc == SQLITE_IOERR_SHORT_READ)
            std::memset(to, 0, static_cast<std::size_t>(end - offset));
        if (rc != SQLITE_OK) return rc;
        const sqlite3_int64 count = std::min(page_size - skipped, end - offset);
        std::memcpy(to, page.data() + skipped, static_cast<std::size_t>(count));
        to += count;
        offset += count;
    }
    return SQLITE_OK;
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    sqlite3_file* to = beneath(file);
    if (!is_checked(file)) return to->pMethods->xWrite(to, bytes, size, offset);
    if (size != page_size || offset % page_size != 0) return SQLITE_IOERR_WRITE;
    Page page;
    std::memcpy(page.data(), bytes, page.size());
    const Seal seal = seal_of(page, offset / page_size);
    std::memcpy(page.data() + sealed_size, seal.data(), seal.size());
    return to->pMethods->xWrite(to, page.data(), size, offset);
}

/// A method that is the one of the file beneath.
template <auto method>
struct PassedOn;
template <typename... Arguments, int (*sqlite3_io_methods::*method)(sqlite3_file*, Arguments...)>
struct PassedOn<method> {
    static int call(sqlite3_file* file, Arguments... arguments) {
        return (beneath(file)->pMethods->*method)(beneath(file), arguments...);
    }
};

void shm_barrier(sqlite3_file* file) {
    beneath(file)->pMethods->xShmBarrier(beneath(file));
}

// Version 2: without xFetch, so that no page is mapped into memory past its check.
const sqlite3_io_methods methods{
    .iVersion = 2,
    .xClose = PassedOn<&sqlite3_io_methods::xClose>::call,
    .xRead = read,
    .xWrite = write,
    .xTruncate = PassedOn<&sqlite3_io_methods::xTruncate>::call,
    .xSync = PassedOn<&sqlite3_io_methods::xSync>::call,
    .xFileSize = PassedOn<&sqlite3_io_methods::xFileSize>::call,
    .xLock = PassedOn<&sqlite3_io_methods::xLock>::call,
    .xUnlock = PassedOn<&sqlite3_io_methods::xUnlock>::call,
    .xCheckReservedLock = PassedOn<&sqlite3_io_methods::xCheckReservedLock>::call,
    .xFileControl = PassedOn<&sqlite3_io_methods::xFileControl>::call,
    .xSectorSize = PassedOn<&sqlite3_io_methods::xSectorSize>::call,
    .xDeviceCharacteristics = PassedOn<&sqlite3_io_methods::xDeviceCharacteristics>::call,
    .xShmMap = PassedOn<&sqlite3_io_methods::xShmMap>::call,
    .xShmLock = PassedOn<&sqlite3_io_methods::xShmLock>::call,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = PassedOn<&sqlite3_io_methods::xShmUnmap>::call,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char byte : bytes) value = value << 8U | static_cast<std::uint8_t>(byte);
    return value;
}

/// True for a catalog and for a file that is still empty.
int find_owner(sqlite3_file* file, bool& is_ours) {
    std::array<char, header_size> header{};
    const int rc = file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
    if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) return rc;
    const std::string_view text(header.data(), header.size());
    is_ours = is_zero(text) || (big_endian(text.substr(16, 2)) == page_size_bytes &&
                                big_endian(text.substr(20, 1)) == page_seal_bytes &&
                                big_endian(text.substr(68, 4)) == std::uint32_t{application_id});
    return SQLITE_OK;
}

/// A VFS under our name; which one it stands on is looked up by name each time, so that a test may
/// take its own away and bring it back.
struct CheckedVfs {
    sqlite3_vfs vfs;
    std::string name;
    std::string base;
};

sqlite3_vfs* base_of(sqlite3_vfs* vfs) {
    const std::string& base = reinterpret_cast<CheckedVfs*>(vfs)->base;
    return sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
}

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    sqlite3_vfs* base = base_of(vfs);
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return base->xOpen(base, name, file, flags, out_flags);
    auto* checked = reinterpret_cast<CheckedFile*>(file);
    file->pMethods = nullptr;  // SQLite closes only what has methods.
    std::memset(beneath(file), 0, static_cast<std::size_t>(base->szOsFile));
    int rc = base->xOpen(base, name, beneath(file), flags, out_flags);
    if (rc == SQLITE_OK) rc = find_owner(beneath(file), checked->is_checked);
    if (rc == SQLITE_OK) {
        file->pMethods = &methods;
    } else if (beneath(file)->pMethods) {
        beneath(file)->pMethods->xClose(beneath(file));
    }
    return rc;
}

/// Every other method of the VFS is the one beneath.
template <auto method>
struct VfsPassedOn;
template <typename Value, typename... Arguments,
          Value (*sqlite3_vfs::*method)(sqlite3_vfs*, Arguments...)>
struct VfsPassedOn<method> {
    static Value call(sqlite3_vfs* vfs, Arguments... arguments) {
        sqlite3_vfs* base = base_of(vfs);
        return (base->*method)(base, arguments...);
    }
};

std::unique_ptr<CheckedVfs> make_vfs(const std::string& base) {
    const sqlite3_vfs* under = sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
    auto made = std::make_unique<CheckedVfs>();
    made->name = "highwater-catalog" + (base.empty() ? "" : "-" + base);
    made->base = base;
    sqlite3_vfs& vfs = made->vfs;
    vfs.iVersion = 2;
    vfs.szOsFile = static_cast<int>(sizeof(CheckedFile)) + under->szOsFile;
    vfs.mxPathname = under->mxPathname;
    vfs.zName = made->name.c_str();
    vfs.xOpen = open;
    vfs.xDelete = VfsPassedOn<&sqlite3_vfs::xDelete>::call;
    vfs.xAccess = VfsPassedOn<&sqlite3_vfs::xAccess>::call;
    vfs.xFullPathname = VfsPassedOn<&sqlite3_vfs::xFullPathname>::call;
    vfs.xDlOpen = VfsPassedOn<&sqlite3_vfs::xDlOpen>::call;
    vfs.xDlError = nullptr;
    vfs.xDlSym = nullptr;
    vfs.xDlClose = nullptr;
    vfs.xRandomness = VfsPassedOn<&sqlite3_vfs::xRandomness>::call;
    vfs.xSleep = VfsPassedOn<&sqlite3_vfs::xSleep>::call;
    vfs.xCurrentTime = VfsPassedOn<&sqlite3_vfs::xCurrentTime>::call;
    vfs.xGetLastError = VfsPassedOn<&sqlite3_vfs::xGetLastError>::call;
    vfs.xCurrentTimeInt64 = VfsPassedOn<&sqlite3_vfs::xCurrentTimeInt64>::call;
    return made;
}

}  // namespace

const char* checked_pages_vfs(const std::string& base) {
    // SQLite's own list of VFSs is one for the program; this is the part of it that is ours.
    static Mutex mutex;
    static std::map<std::string, std::unique_ptr<CheckedVfs>> registered;
    const Lock lock(mutex);
    auto& vfs = registered[base];
    if (!vfs) {
        vfs = make_vfs(base);
        sqlite3_vfs_register(&vfs->vfs, 0);
    }
    return vfs->vfs.zName;
}

}  // namespace highwater::catalog
