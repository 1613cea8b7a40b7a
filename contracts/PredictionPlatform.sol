// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title The retired prediction platform.
/// @notice It has no markets, and nobody can make one: there is no such function, and no upgrade.
contract PredictionPlatform {
    /// @notice How many markets there are.
    uint256 public constant marketCount = 0;
    /// @notice Says what became of it.
    string public constant status = "retired";
}
