#include "stage/set_aside.h"

#include "base/try.h"
#include "stage/cleanup.h"
#include "stage/copy.h"

namespace highwater::stage {

namespace {

constexpr std::size_t digest_digits = 16;

Result<void> verify_unregistered(catalog::Catalog& catalog, const catalog::TableId& table,
                                 const std::string& path) {
    if (TRY(catalog.find_names(table, {path})).empty()) return {};
    return Error(Code::conflict, "'" + path + "' is registered");
}

}  // namespace

Result<SetAside> set_aside(object::Store& store, catalog::Catalog& catalog,
                           const catalog::TableId& table, const object::Name& name) {
    const auto reader = store.open(name);
    if (!reader.ok() && reader.error().code() == Code::not_found) {
        return SetAside{.outcome = SetAside::Outcome::absent, .copy = {}};
    }
    if (!reader.ok()) return reader.error();
    const Digest digest = TRY(digest_object(**reader));
    const object::Name copy{.root = name.root + "/.highwater",
                            .path = std::string(quarantine_folder) + "/" + name.path + "." +
                                    format_digest_prefix(digest, digest_digits) +
                                    std::string(quarantine_ending)};
    TRY(copy_object(store, **reader, copy, digest));

    const SetAside registered{.outcome = SetAside::Outcome::registered, .copy = copy};
    const auto before = verify_unregistered(catalog, table, name.path);
    if (!before.ok() && before.error().code() == Code::conflict) {
        TRY(store.remove(copy));
        return registered;
    }
    TRY(before);
    TRY(store.remove(name));
    const auto after = verify_unregistered(catalog, table, name.path);
    if (!after.ok()) {
        // Registered meanwhile, or nobody can say: what may be needed goes back.
        TRY(copy_object(store, **reader, name, digest).within("put back from " + copy.path));
        if (after.error().code() != Code::conflict) return after.error();
        TRY(store.remove(copy));
        return registered;
    }
    return SetAside{.outcome = SetAside::Outcome::moved, .copy = copy};
}

}  // namespace highwater::stage
