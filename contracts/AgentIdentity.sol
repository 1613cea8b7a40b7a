// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Identities of agents with the interface of ERC-8004.
/// @notice One ERC-721 token for each agent. Its wallet is set by the wallet's own signature, so that
/// whoever pays for the transaction gains nothing, and it is cleared when the token changes hands.
contract AgentIdentity is ERC721URIStorage, EIP712 {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    error NotAuthorized(address caller, uint256 agentId);
    error ReservedKey(string metadataKey);
    error WalletMissing();
    error SignatureExpired(uint256 deadline);
    error DeadlineTooFar(uint256 deadline);
    error WalletSignatureInvalid(address wallet);

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    bytes32 private constant AGENT_WALLET_SET =
        keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");
    /// @notice How far ahead a wallet's signature may be dated.
    uint256 public constant DEADLINE_AHEAD_MAX = 5 minutes;
    string private constant WALLET_KEY = "agentWallet";

    uint256 private _nextId;
    mapping(uint256 agentId => mapping(string key => bytes value)) private _metadata;

    constructor() ERC721("AgentIdentity", "AGENT") EIP712("ERC8004IdentityRegistry", "1") {}

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function register() external returns (uint256 agentId) {
        return _register("", new MetadataEntry[](0));
    }

    function register(string calldata agentURI) external returns (uint256 agentId) {
        return _register(agentURI, new MetadataEntry[](0));
    }

    function register(string calldata agentURI, MetadataEntry[] calldata metadata)
        external
        returns (uint256 agentId)
    {
        return _register(agentURI, metadata);
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external {
        _requireAuthorized(agentId);
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory) {
        return _metadata[agentId][metadataKey];
    }

    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue) external {
        _requireAuthorized(agentId);
        _setOpenMetadata(agentId, metadataKey, metadataValue);
    }

    /// @notice The wallet that proved itself for this agent; zero when none has.
    function getAgentWallet(uint256 agentId) external view returns (address) {
        _requireOwned(agentId);
        bytes memory kept = _metadata[agentId][WALLET_KEY];
        return kept.length == 20 ? address(bytes20(kept)) : address(0);
    }

    /// @notice Binds a wallet. The signature is the new wallet's, of a key or of a contract (ERC-1271).
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature)
        external
    {
        _requireAuthorized(agentId);
        require(newWallet != address(0), WalletMissing());
        require(block.timestamp <= deadline, SignatureExpired(deadline));
        require(deadline <= block.timestamp + DEADLINE_AHEAD_MAX, DeadlineTooFar(deadline));
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(AGENT_WALLET_SET, agentId, newWallet, ownerOf(agentId), deadline))
        );
        require(
            SignatureChecker.isValidSignatureNow(newWallet, digest, signature), WalletSignatureInvalid(newWallet)
        );
        _setMetadata(agentId, WALLET_KEY, abi.encodePacked(newWallet));
    }

    function unsetAgentWallet(uint256 agentId) external {
        _requireAuthorized(agentId);
        _setMetadata(agentId, WALLET_KEY, "");
    }

    /// @notice Tells whether an address is the owner of an agent or acts for the owner.
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool) {
        return _isAuthorized(_requireOwned(agentId), spender, agentId);
    }

    function _register(string memory agentURI, MetadataEntry[] memory metadata) private returns (uint256 agentId) {
        agentId = _nextId++;
        _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, msg.sender);
        _setMetadata(agentId, WALLET_KEY, abi.encodePacked(msg.sender));
        for (uint256 i; i < metadata.length; ++i) {
            _setOpenMetadata(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
        _safeMint(msg.sender, agentId);
    }

    function _setOpenMetadata(uint256 agentId, string memory key, bytes memory value) private {
        require(keccak256(bytes(key)) != keccak256(bytes(WALLET_KEY)), ReservedKey(key));
        _setMetadata(agentId, key, value);
    }

    function _setMetadata(uint256 agentId, string memory key, bytes memory value) private {
        _metadata[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    function _requireAuthorized(uint256 agentId) private view {
        require(_isAuthorized(_requireOwned(agentId), msg.sender, agentId), NotAuthorized(msg.sender, agentId));
    }

    /// @dev A wallet speaks for one owner; it does not come along with the token.
    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0)) _setMetadata(agentId, WALLET_KEY, "");
    }
}
