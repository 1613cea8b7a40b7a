// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @dev A wallet contract (ERC-1271) that signs for its owner, unless what it sees around it tells
/// that it is carried out: then it burns all gas that it was given.
contract BurningWallet {
    bytes4 private constant VALID = 0x1626ba7e;

    address public immutable owner;
    uint8 public immutable sign;
    uint8 public immutable comparison;
    uint256 public immutable bound;

    constructor(address owner_, uint8 sign_, uint8 comparison_, uint256 bound_) {
        owner = owner_;
        sign = sign_;
        comparison = comparison_;
        bound = bound_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        uint256 seen = _seen();
        bool burns = comparison == 0 ? seen == bound : comparison == 1 ? seen < bound : seen > bound;
        while (burns) {}
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(hash, uint8(signature[64]), r, s) == owner ? VALID : bytes4(0);
    }

    function _seen() private view returns (uint256) {
        if (sign == 0) return tx.gasprice;
        if (sign == 1) return block.basefee;
        if (sign == 2) return uint160(address(block.coinbase));
        if (sign == 3) return block.number;
        if (sign == 4) return gasleft();
        if (sign == 5) return block.timestamp;
        if (sign == 6) return block.prevrandao;
        if (sign == 7) return block.gaslimit;
        return uint160(tx.origin);
    }
}
