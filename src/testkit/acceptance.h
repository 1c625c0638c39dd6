#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace highwater::testkit {

/// Where data that this project did not write lies: the folder `part` ("parquet", "telemetry") of
/// HIGHWATER_ACCEPTANCE, else of ../shared/acceptance beside the checkout.
///
/// Nothing when it is not there: then the test says so and leaves itself out, but fails under
/// CI=true:
///
///     const auto folder = testkit::find_acceptance("telemetry");
///     if (!folder) GTEST_SKIP() << "no acceptance data";
std::optional<std::string> find_acceptance(std::string_view part);

}  // namespace highwater::testkit
