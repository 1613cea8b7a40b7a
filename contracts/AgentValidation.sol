// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @dev What the registries ask of the identities.
interface IAgentIdentity {
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);
}

/// @title Validations of agents' work with the interface of ERC-8004.
/// @notice An agent's side asks a validator; only that validator answers, 0 to 100, and may answer
/// again: the last answer stands.
contract AgentValidation {
    struct Validation {
        address validator;
        uint8 response;
        bool isAnswered;
        uint64 lastUpdate;
        uint256 agentId;
        bytes32 responseHash;
        string tag;
    }

    error ValidatorMissing();
    error RequestKnown(bytes32 requestHash);
    error RequestUnknown(bytes32 requestHash);
    error NotAuthorized(address caller, uint256 agentId);
    error NotTheValidator(address caller, address validator);
    error ResponseTooLarge(uint8 response);

    event ValidationRequest(
        address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash
    );
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    uint8 public constant RESPONSE_MAX = 100;

    IAgentIdentity private immutable _identity;
    mapping(bytes32 requestHash => Validation) private _validations;
    mapping(uint256 agentId => bytes32[]) private _byAgent;
    mapping(address validator => bytes32[]) private _byValidator;

    constructor(address identity) {
        _identity = IAgentIdentity(identity);
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_identity);
    }

    function validationRequest(
        address validatorAddress,
        uint256 agentId,
        string calldata requestURI,
        bytes32 requestHash
    ) external {
        require(validatorAddress != address(0), ValidatorMissing());
        require(_identity.isAuthorizedOrOwner(msg.sender, agentId), NotAuthorized(msg.sender, agentId));
        Validation storage validation = _validations[requestHash];
        require(validation.validator == address(0), RequestKnown(requestHash));
        validation.validator = validatorAddress;
        validation.agentId = agentId;
        validation.lastUpdate = uint64(block.timestamp);
        _byAgent[agentId].push(requestHash);
        _byValidator[validatorAddress].push(requestHash);
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        Validation storage validation = _known(requestHash);
        require(msg.sender == validation.validator, NotTheValidator(msg.sender, validation.validator));
        require(response <= RESPONSE_MAX, ResponseTooLarge(response));
        validation.response = response;
        validation.isAnswered = true;
        validation.lastUpdate = uint64(block.timestamp);
        validation.responseHash = responseHash;
        validation.tag = tag;
        emit ValidationResponse(
            msg.sender, validation.agentId, requestHash, response, responseURI, responseHash, tag
        );
    }

    function getValidationStatus(bytes32 requestHash)
        external
        view
        returns (
            address validatorAddress,
            uint256 agentId,
            uint8 response,
            bytes32 responseHash,
            string memory tag,
            uint256 lastUpdate
        )
    {
        Validation storage its = _known(requestHash);
        return (its.validator, its.agentId, its.response, its.responseHash, its.tag, its.lastUpdate);
    }

    /// @notice Mean of the answers, by anyone or by those named, with a tag (`""` takes any).
    function getSummary(uint256 agentId, address[] calldata validatorAddresses, string calldata tag)
        external
        view
        returns (uint64 count, uint8 averageResponse)
    {
        uint256 sum;
        bytes32[] storage hashes = _byAgent[agentId];
        for (uint256 i; i < hashes.length; ++i) {
            Validation storage its = _validations[hashes[i]];
            if (!its.isAnswered || !_isNamed(validatorAddresses, its.validator)) continue;
            if (bytes(tag).length > 0 && keccak256(bytes(tag)) != keccak256(bytes(its.tag))) continue;
            sum += its.response;
            ++count;
        }
        averageResponse = count == 0 ? 0 : uint8(sum / count);
    }

    function getAgentValidations(uint256 agentId) external view returns (bytes32[] memory) {
        return _byAgent[agentId];
    }

    function getValidatorRequests(address validatorAddress) external view returns (bytes32[] memory) {
        return _byValidator[validatorAddress];
    }

    function _isNamed(address[] calldata named, address validator) private pure returns (bool) {
        if (named.length == 0) return true;
        for (uint256 i; i < named.length; ++i) {
            if (named[i] == validator) return true;
        }
        return false;
    }

    function _known(bytes32 requestHash) private view returns (Validation storage validation) {
        validation = _validations[requestHash];
        require(validation.validator != address(0), RequestUnknown(requestHash));
    }
}
