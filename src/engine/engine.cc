#include "engine/engine.h"

#include "base/text.h"

namespace highwater::engine {

EngineLedger& EngineLedger::operator+=(const EngineLedger& other) {
    listed_files += other.listed_files;
    opened_files += other.opened_files;
    reads += other.reads;
    bytes_read += other.bytes_read;
    return *this;
}

Result<std::string> path_of(const object::Name& name) {
    if (!name.root.starts_with('/')) {
        return Error(Code::unsupported, format_quoted(name.root) +
                                            " is not a directory of this machine, and no engine "
                                            "here reads anything else");
    }
    return name.root.ends_with('/') ? name.root + name.path : name.root + "/" + name.path;
}

}  // namespace highwater::engine
