// expect: ignoring return(ed)? value
// A Result that nobody looks at is a failure that nobody hears of.

#include "base/result.h"

highwater::Result<void> save();

void forget_to_look() {
    save();
}
