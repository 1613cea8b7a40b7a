// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {TestDollar} from "contracts/TestDollar.sol";

/// @dev A dollar whose issuer can shut an account out, as issuers of public stablecoins can.
contract RefusingDollar is TestDollar {
    mapping(address account => bool) public isShutOut;

    constructor(address minter) TestDollar(minter) {}

    function shutOut(address account) external {
        isShutOut[account] = true;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!isShutOut[to], "shut out");
        super._update(from, to, value);
    }
}
