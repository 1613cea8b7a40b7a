// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Where logs leave their roots.
/// @notice Every account has one log of its own. A log only grows: an anchor of another root for the
/// same size, or of a smaller size, is refused, so two stories about one log cannot both be anchored.
contract ProofAnchor {
    error NotLarger(uint64 size, uint64 anchored);

    event Anchored(address indexed log, uint64 indexed size, bytes32 root);

    mapping(address log => uint64 size) public latestSize;
    /// @notice The root that a log had at a size; zero where it was not anchored.
    mapping(address log => mapping(uint64 size => bytes32 root)) public rootAt;

    /// @notice Anchors the root of the caller's log. The same once more changes nothing.
    function anchor(uint64 size, bytes32 root) external {
        if (size > 0 && rootAt[msg.sender][size] == root && root != bytes32(0)) return;
        require(size > latestSize[msg.sender], NotLarger(size, latestSize[msg.sender]));
        latestSize[msg.sender] = size;
        rootAt[msg.sender][size] = root;
        emit Anchored(msg.sender, size, root);
    }
}
