#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace highwater::catalog {

/// The size of a page of the database, and how many bytes at its end SQLite leaves to us.
constexpr std::size_t page_size_bytes = 4'096;
constexpr std::size_t page_seal_bytes = 8;

/// What SQLite keeps at offset 68 of a database, to tell ours from others.
constexpr std::int32_t application_id = 0x48574361;  // "HWCa"

/// The name of an SQLite VFS that is the VFS `base` ("": SQLite's default), except that each page
/// of a catalog carries a seal: the first 8 bytes of a digest over its number and its bytes, made
/// when the page is written to the database file and checked when it is read from there.
///
/// SQLite checks the structure of what it reads, not the bytes: a flipped one may change a value,
/// or hide a row from a search. Here it is an input error (SQLITE_IOERR_DATA). Pages in the
/// write-ahead log have SQLite's own checksums. A page without a seal (eight zero bytes) is taken
/// as it is: that is how SQLite without this VFS writes back the log of one that has it. Databases
/// of others are passed through untouched.
///
/// Registered with SQLite at the first call, for the rest of the program. Thread-safety: any
/// thread. Source: docs/formats/catalog-sqlite.md
const char* checked_pages_vfs(const std::string& base);

}  // namespace highwater::catalog
