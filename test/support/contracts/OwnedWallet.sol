// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @dev A wallet contract of one owner (ERC-1271), and ways in which such a wallet can misbehave.
contract OwnedWallet {
    enum Kind {
        Sound,
        Greedy,
        Costly,
        Reverting,
        Agreeable
    }

    bytes4 private constant VALID = 0x1626ba7e;

    address public immutable owner;
    Kind public immutable kind;

    constructor(address owner_, Kind kind_) {
        owner = owner_;
        kind = kind_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (kind == Kind.Reverting) revert("not today");
        if (kind == Kind.Greedy) _burn(type(uint256).max);
        if (kind == Kind.Costly) _burn(5_000_000);
        if (kind == Kind.Agreeable) return 0xffffffff;
        return signature.length >= 65 && _signer(hash, signature) == owner ? VALID : bytes4(0);
    }

    /// @dev What stands behind the owner's 65 bytes is ignored: signatures of such wallets are long.
    function _signer(bytes32 hash, bytes calldata signature) private pure returns (address) {
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(hash, uint8(signature[64]), r, s);
    }

    function _burn(uint256 gas) private view {
        uint256 start = gasleft();
        while (start - gasleft() < gas) {}
    }
}
