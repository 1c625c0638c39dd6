#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace highwater::object {

/// Where one object is: a root (an absolute directory or URI) and a canonical path beneath it
/// (model::verify_object_path).
struct Name {
    std::string root;
    std::string path;

    friend auto operator<=>(const Name&, const Name&) = default;
    friend bool operator==(const Name&, const Name&) = default;
};

/// What tells, without reading bytes, that an object may have been exchanged for another one.
/// Fields that a backend does not have are 0. Equal identities do not prove equal bytes; see
/// archive gate.
struct Identity {
    std::uint64_t size_bytes = 0;
    std::int64_t mtime_ns = 0;  // local
    std::int64_t ctime_ns = 0;  // local
    std::uint64_t inode = 0;    // local
    std::uint64_t version = 0;  // memory: a counter that grows with each write of that name

    friend bool operator==(const Identity&, const Identity&) = default;
};

/// One entry of a listing. A name that is not a regular file (a link, a pipe, an empty directory is
/// not listed) is told as `other`, never followed and never hidden.
struct Entry {
    enum class Kind : std::uint8_t { object, other };

    std::string path;
    Identity identity;
    Kind kind = Kind::object;

    friend bool operator==(const Entry&, const Entry&) = default;
};

/// One page of a listing, in path order. A page may be empty and still not be the last.
struct Page {
    std::vector<Entry> entries;
    std::optional<std::string> next_token;  // Nothing: this was the last page.
};

/// Reads one object, as it was when it was opened: bytes of another object that takes its place
/// later are never returned (local: the open file; memory: the value), and an object that is
/// removed meanwhile is still read to its end.
///
/// Thread-safety: `read_at`, from any thread.
class Reader {
public:
    virtual ~Reader() = default;

    virtual const Identity& identity() const = 0;

    /// Bytes [offset, offset + size), fewer only at the end of the object.
    ///
    /// Errors: unavailable, corrupt (someone cut the object short since it was opened).
    virtual Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const = 0;
};

/// Writes one object outside every reader's view; `finish` makes it visible whole, or not at all.
/// Dropping an upload that was not finished leaves nothing visible.
///
/// After failure: the upload is good for dropping only; what is called next fails the same way.
///
/// Not thread-safe.
class Upload {
public:
    virtual ~Upload() = default;

    /// Requires: not sealed.
    ///
    /// Errors: unavailable, exhausted (no space).
    virtual Result<void> append(BytesView bytes) = 0;

    /// Makes the bytes durable under a name outside every reader's view, not yet visible.
    /// Called by `finish` if it was not called before; nothing may be appended after it.
    ///
    /// Errors: unavailable, exhausted (no space).
    virtual Result<void> seal() = 0;

    /// Makes the object visible under its name, if that is free. After success it survives a crash.
    /// Requires: not finished.
    ///
    /// Errors: already_exists   the name is taken; the old object is untouched.
    ///         denied           a folder on the way is a link or an object; nothing is visible.
    ///         unavailable      nothing is visible.
    ///         exhausted        no space; nothing is visible.
    ///         outcome_unknown  it may be visible; `head` tells.
    virtual Result<Identity> finish() = 0;
};

/// Objects that are written once, whole, and never changed, at any number of roots.
///
/// All telemetry bytes live behind this port; the catalog holds only names of what is here. A
/// backend is right when it passes tests/conformance/object_store_test.cc.
///
/// Requires: paths (and prefixes that are not empty) that model::verify_object_path accepts; others
/// are invalid_argument, and no symbolic link beneath a root is ever followed (denied).
///
/// As in a file system, a name is an object or a folder, not both; a folder by itself is nothing:
/// not found, not listed. Whether it goes with its last object is the backend's choice.
///
/// Thread-safety: every method, from any thread, at any time.
///
/// Lifetime: outlives everyone who borrows it.
class Store {
public:
    virtual ~Store() = default;

    /// Begins to write a new object. A root that is missing is made, its parent is not: this is the
    /// one call that makes a root.
    ///
    /// Errors: invalid_argument (also a name longer than the backend holds), precondition_failed
    ///         (the root's parent is not there), denied, unavailable, exhausted.
    virtual Result<std::unique_ptr<Upload>> create(const Name& name) = 0;

    /// Opens an object for reading.
    ///
    /// Errors: not_found, denied (a link, or not a regular file), unavailable.
    virtual Result<std::unique_ptr<Reader>> open(const Name& name) = 0;

    /// Looks an object up; an absent one is an answer, not an error. What is there but no regular
    /// file is told as `other`.
    ///
    /// Errors: denied (a link on the way), unavailable.
    virtual Result<std::optional<Entry>> head(const Name& name) = 0;

    /// One page of the entries beneath `prefix` (whole segments: "a/b" covers "a/b/c", not "a/bc";
    /// "" is everything), in path order, from where `token` left off ("" is the start).
    ///
    /// An absent prefix or root is an empty last page. What is created or removed meanwhile may be
    /// there or not; all else is there once. A name that no object could have is told as `other`,
    /// its odd bytes as \xNN.
    ///
    /// Errors: denied, unavailable, exhausted (a folder too large to be sorted); never an empty
    /// page in place of an error.
    virtual Result<Page> list_page(const std::string& root, const std::string& prefix,
                                   const std::string& token) = 0;

    /// Removes an object; removing an absent one succeeds. After success a crash does not bring it
    /// back.
    ///
    /// Errors: denied (not a regular file, or a link on the way), unavailable, outcome_unknown.
    virtual Result<void> remove(const Name& name) = 0;
};

/// Writes `bytes` as one new object. Errors: those of `create`, `append` and `finish`.
Result<Identity> put_new(Store& store, const Name& name, BytesView bytes);

/// Reads one whole object. Errors: those of `open` and `read_at`; exhausted when it is larger than
/// `size_max`.
Result<Bytes> get(Store& store, const Name& name, std::uint64_t size_max);

constexpr std::size_t list_pages_max = 100'000;
constexpr std::size_t list_entries_max = 20'000'000;

/// How far one listing may go.
struct ListLimits {
    std::size_t pages_max = list_pages_max;
    std::size_t entries_max = list_entries_max;
};

/// Every entry beneath `prefix`, page by page to the end.
///
/// Errors: those of `list_page`; unavailable when a token repeats, a page does not go forward or
///         leaves the prefix, or the listing does not end within `pages_max`; exhausted beyond
///         `entries_max`. A failed listing is never an empty or a shorter one.
Result<std::vector<Entry>> list_all(Store& store, const std::string& root,
                                    const std::string& prefix, const ListLimits& limits = {});

}  // namespace highwater::object
