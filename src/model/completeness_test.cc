#include "model/completeness.h"

#include <gtest/gtest.h>

namespace highwater::model {
namespace {

TEST(Completeness, HasOneVocabulary) {
    EXPECT_EQ(to_text(Completeness::complete), "Complete");
    EXPECT_EQ(to_text(Completeness::missing), "Missing");
    EXPECT_EQ(to_text(Completeness::stale), "Stale");
    EXPECT_EQ(to_text(Completeness::gapped), "Gapped");
    EXPECT_EQ(to_text(Completeness::incompatible), "Incompatible");
}

}  // namespace
}  // namespace highwater::model
