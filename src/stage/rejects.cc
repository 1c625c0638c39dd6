#include "stage/rejects.h"

#include "base/try.h"
#include "stage/csv.h"

namespace highwater::stage {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20U;

}  // namespace

Result<RejectFile> RejectFile::open(object::Store& store, const std::optional<object::Name>& name) {
    RejectFile file;
    if (!name) return file;
    if (TRY(store.head(*name))) {
        return Error(Code::already_exists, "the rejects '" + name->path + "' are there already");
    }
    file.upload_ = TRY(store.create(*name));
    file.buffer_ = "file,line,reason,original\n";
    return file;
}

Result<void> RejectFile::add(const BadLine& line) {
    if (!upload_) return {};
    is_used_ = true;
    buffer_ += format_csv_field(line.file) + "," + std::to_string(line.number) + "," +
               format_csv_field(line.reason) + "," + format_csv_field(line.original) + "\n";
    return buffer_.size() < buffer_size ? Result<void>() : flush();
}

Result<void> RejectFile::flush() {
    TRY(upload_->append(buffer_));
    buffer_.clear();
    return {};
}

Result<void> RejectFile::finish() {
    if (!upload_ || !is_used_) return {};
    TRY(flush());
    TRY(upload_->finish());
    return {};
}

}  // namespace highwater::stage
