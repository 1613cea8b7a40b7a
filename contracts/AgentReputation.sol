// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @dev What the registries ask of the identities.
interface IAgentIdentity {
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);
}

/// @title Feedback about agents with the interface of ERC-8004.
/// @notice Anyone but the agent's own side may write; readers say whose feedback they count.
contract AgentReputation {
    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
    }

    /// @dev Which feedback is read: of whom, and with which tags (`""` takes any).
    struct Filter {
        uint256 agentId;
        address[] clients;
        bytes32 tag1;
        bytes32 tag2;
        bool withRevoked;
    }

    error SelfFeedback(address client, uint256 agentId);
    error TooManyDecimals(uint8 valueDecimals);
    error ValueTooLarge(int128 value);
    error FeedbackUnknown(uint256 agentId, address client, uint64 feedbackIndex);
    error AlreadyRevoked(uint64 feedbackIndex);
    error ClientAddressesRequired();
    error ResponseEmpty();

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex);
    event ResponseAppended(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        address indexed responder,
        string responseURI,
        bytes32 responseHash
    );

    uint8 public constant DECIMALS_MAX = 18;
    int128 public constant VALUE_MAX = 1e38;
    bytes32 private constant ANY = keccak256("");

    IAgentIdentity private immutable _identity;
    mapping(uint256 agentId => mapping(address client => Feedback[])) private _feedback;
    mapping(uint256 agentId => address[]) private _clients;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 index => mapping(address by => uint64)))) private
        _responses;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 index => address[]))) private _responders;

    constructor(address identity) {
        _identity = IAgentIdentity(identity);
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_identity);
    }

    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string memory tag1,
        string memory tag2,
        string memory endpoint,
        string memory feedbackURI,
        bytes32 feedbackHash
    ) external {
        uint64 index = _keep(agentId, Feedback(value, valueDecimals, false, tag1, tag2));
        emit NewFeedback(
            agentId, msg.sender, index, value, valueDecimals, tag1, tag1, tag2, endpoint, feedbackURI, feedbackHash
        );
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        Feedback storage given = _at(agentId, msg.sender, feedbackIndex);
        require(!given.isRevoked, AlreadyRevoked(feedbackIndex));
        given.isRevoked = true;
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    function appendResponse(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        string calldata responseURI,
        bytes32 responseHash
    ) external {
        _at(agentId, clientAddress, feedbackIndex);
        require(bytes(responseURI).length > 0, ResponseEmpty());
        if (_responses[agentId][clientAddress][feedbackIndex][msg.sender]++ == 0) {
            _responders[agentId][clientAddress][feedbackIndex].push(msg.sender);
        }
        emit ResponseAppended(agentId, clientAddress, feedbackIndex, msg.sender, responseURI, responseHash);
    }

    function getLastIndex(uint256 agentId, address clientAddress) external view returns (uint64) {
        return uint64(_feedback[agentId][clientAddress].length);
    }

    function getClients(uint256 agentId) external view returns (address[] memory) {
        return _clients[agentId];
    }

    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (int128 value, uint8 valueDecimals, string memory tag1, string memory tag2, bool isRevoked)
    {
        Feedback storage given = _at(agentId, clientAddress, feedbackIndex);
        return (given.value, given.valueDecimals, given.tag1, given.tag2, given.isRevoked);
    }

    /// @notice Mean of the values of these clients, with the most decimals that any of them has.
    function getSummary(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2
    ) external view returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals) {
        require(clientAddresses.length > 0, ClientAddressesRequired());
        Filter memory filter =
            Filter(agentId, clientAddresses, keccak256(bytes(tag1)), keccak256(bytes(tag2)), false);
        int256 sum;
        for (uint256 i; i < filter.clients.length; ++i) {
            Feedback[] storage given = _feedback[agentId][filter.clients[i]];
            for (uint256 j; j < given.length; ++j) {
                if (!_fits(filter, given[j])) continue;
                ++count;
                sum += int256(given[j].value) * int256(10 ** (DECIMALS_MAX - given[j].valueDecimals));
                if (given[j].valueDecimals > summaryValueDecimals) summaryValueDecimals = given[j].valueDecimals;
            }
        }
        if (count == 0) return (0, 0, 0);
        int256 mean = sum / int256(uint256(count)) / int256(10 ** (DECIMALS_MAX - summaryValueDecimals));
        summaryValue = int128(mean);
    }

    function readAllFeedback(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2,
        bool includeRevoked
    )
        external
        view
        returns (
            address[] memory clients,
            uint64[] memory feedbackIndexes,
            int128[] memory values,
            uint8[] memory valueDecimals,
            string[] memory tag1s,
            string[] memory tag2s,
            bool[] memory revokedStatuses
        )
    {
        Filter memory filter =
            Filter(agentId, clientAddresses, keccak256(bytes(tag1)), keccak256(bytes(tag2)), includeRevoked);
        if (clientAddresses.length == 0) filter.clients = _clients[agentId];
        (clients, feedbackIndexes) = _find(filter);
        uint256 size = clients.length;
        values = new int128[](size);
        valueDecimals = new uint8[](size);
        tag1s = new string[](size);
        tag2s = new string[](size);
        revokedStatuses = new bool[](size);
        for (uint256 i; i < size; ++i) {
            Feedback storage given = _feedback[filter.agentId][clients[i]][feedbackIndexes[i] - 1];
            values[i] = given.value;
            valueDecimals[i] = given.valueDecimals;
            tag1s[i] = given.tag1;
            tag2s[i] = given.tag2;
            revokedStatuses[i] = given.isRevoked;
        }
    }

    /// @notice Responses to one feedback, by anyone or by those named.
    function getResponseCount(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        address[] calldata responders
    ) external view returns (uint64 count) {
        address[] memory named = responders;
        if (responders.length == 0) named = _responders[agentId][clientAddress][feedbackIndex];
        for (uint256 i; i < named.length; ++i) {
            count += _responses[agentId][clientAddress][feedbackIndex][named[i]];
        }
    }

    function _keep(uint256 agentId, Feedback memory feedback) private returns (uint64 index) {
        require(feedback.valueDecimals <= DECIMALS_MAX, TooManyDecimals(feedback.valueDecimals));
        require(feedback.value <= VALUE_MAX && feedback.value >= -VALUE_MAX, ValueTooLarge(feedback.value));
        require(!_identity.isAuthorizedOrOwner(msg.sender, agentId), SelfFeedback(msg.sender, agentId));
        Feedback[] storage given = _feedback[agentId][msg.sender];
        if (given.length == 0) _clients[agentId].push(msg.sender);
        given.push(feedback);
        return uint64(given.length);
    }

    function _find(Filter memory filter)
        private
        view
        returns (address[] memory clients, uint64[] memory feedbackIndexes)
    {
        uint256 size;
        for (uint256 i; i < filter.clients.length; ++i) size += _feedback[filter.agentId][filter.clients[i]].length;
        clients = new address[](size);
        feedbackIndexes = new uint64[](size);
        uint256 found;
        for (uint256 i; i < filter.clients.length; ++i) {
            Feedback[] storage given = _feedback[filter.agentId][filter.clients[i]];
            for (uint256 j; j < given.length; ++j) {
                if (!_fits(filter, given[j])) continue;
                clients[found] = filter.clients[i];
                feedbackIndexes[found++] = uint64(j + 1);
            }
        }
        // The lists are as long as what was found.
        assembly ("memory-safe") {
            mstore(clients, found)
            mstore(feedbackIndexes, found)
        }
    }

    function _fits(Filter memory filter, Feedback storage given) private view returns (bool) {
        if (given.isRevoked && !filter.withRevoked) return false;
        if (filter.tag1 != ANY && keccak256(bytes(given.tag1)) != filter.tag1) return false;
        return filter.tag2 == ANY || keccak256(bytes(given.tag2)) == filter.tag2;
    }

    function _at(uint256 agentId, address client, uint64 feedbackIndex) private view returns (Feedback storage) {
        Feedback[] storage given = _feedback[agentId][client];
        require(
            feedbackIndex > 0 && feedbackIndex <= given.length, FeedbackUnknown(agentId, client, feedbackIndex)
        );
        return given[feedbackIndex - 1];
    }
}
