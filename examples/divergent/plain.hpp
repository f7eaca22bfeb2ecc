// The same two functions without the library: the loops that the example is timed against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// Trips until the orbit of each point (x, y) of the grid leaves the circle of radius 2; row by
/// row.
std::vector<std::int32_t> escape_times_by_loop(const std::vector<float>& xs,
                                               const std::vector<float>& ys, std::int32_t most);

/// The eccentric anomaly for each mean anomaly and eccentricity.
std::vector<double> kepler_by_loop(const std::vector<double>& mean,
                                   const std::vector<double>& eccentricity);
