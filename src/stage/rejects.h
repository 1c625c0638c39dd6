#pragma once

#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "object/store.h"
#include "stage/input.h"

namespace highwater::stage {

/// Writes bad lines as CSV: file,line,reason,original. Without a name it writes nothing.
class RejectFile {
public:
    /// Errors: already_exists, those of object::Store::create.
    static Result<RejectFile> open(object::Store& store, const std::optional<object::Name>& name);

    Result<void> add(const BadLine& line);

    /// Makes the file visible, if there was a bad line.
    Result<void> finish();

private:
    Result<void> flush();

    std::unique_ptr<object::Upload> upload_;
    Bytes buffer_;
    bool is_used_ = false;
};

}  // namespace highwater::stage
