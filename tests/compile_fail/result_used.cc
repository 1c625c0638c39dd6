// expect: compiles
// The control of result_dropped.cc: the same code with the result looked at.

#include "base/result.h"

highwater::Result<void> save();

bool is_saved() {
    return save().ok();
}
