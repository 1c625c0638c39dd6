#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "base/result.h"
#include "engine/result.h"
#include "parquet/rows.h"

// Names of Arrow that pass through here without their headers.
namespace arrow {
class Array;
class DataType;
class Status;
}  // namespace arrow

namespace highwater::engine {

/// Arrow's type for a column. Decimals of more than 38 digits are given 38.
std::shared_ptr<::arrow::DataType> arrow_type(const ResultColumn& column);

/// Appends a whole array to the cells of `column`.
///
/// Errors: corrupt  the array is of another type.
Result<void> append_array(const ::arrow::Array& array, const ResultColumn& column,
                          parquet::Cells& cells);

/// All cells as an array of arrow_type(column).
///
/// Errors: invalid_argument  a decimal of more than 38 digits; exhausted.
Result<std::shared_ptr<::arrow::Array>> make_array(const ResultColumn& column,
                                                   const parquet::Cells& cells);

/// What an Arrow that did not succeed means.
Error error_of(const ::arrow::Status& status);

/// Runs `step`, which may throw as Arrow's parts do in places; an exception is `corrupt`.
template <typename Step>
auto guard(Step step) -> decltype(step()) {
    try {
        return step();
    } catch (const std::bad_alloc&) {
        return Error(Code::exhausted, "Arrow: no memory");
    } catch (const std::exception& thrown) {
        return Error(Code::corrupt, std::string("Arrow: ") + thrown.what());
    }
}

}  // namespace highwater::engine
