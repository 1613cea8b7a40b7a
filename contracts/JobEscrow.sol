// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @dev A stablecoin with signed transfers (EIP-3009).
interface IDollar {
    function transfer(address to, uint256 value) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title Holds the money of jobs until they are released or given back.
/// @notice A job is named by the hash of its terms, so nobody can take its name with other terms.
/// Each move is made by the party whose move it is, in person or by its signature that anyone may
/// bring. Time alone ends every job that is not in dispute, and anyone may bring that end about.
/// A dispute is ended by people only: nobody can tell a buyer who disputes good work from a provider
/// who delivers bad work, so whatever time paid out would pay one of the two for waiting. The buyer
/// can release or withdraw, the provider can give back, and the arbiter can decide, however late.
contract JobEscrow is EIP712, ReentrancyGuard {
    enum State {
        None,
        Escrowed,
        Fulfilled,
        Disputed,
        Released,
        Refunded
    }

    struct Terms {
        bytes32 jobId;
        address buyer;
        address provider;
        uint128 amount;
        uint40 fulfilBy;
    }

    struct Job {
        address buyer;
        State state;
        bool wasDisputed;
        uint40 fulfilBy;
        address provider;
        uint40 releaseBy;
        uint40 disputedAt;
        uint128 amount;
        bytes32 deliverable;
    }

    error TermsInvalid();
    error JobKnown(bytes32 key);
    error WrongState(State state);
    error NotTheParty(address party);
    error NotTheOperator(address caller);
    error TooEarly(uint256 due);
    error TooLate(uint256 due);
    error MoneyMissing(uint256 amount);
    error NothingOwed(address party);

    event JobEscrowed(
        bytes32 indexed key, bytes32 indexed jobId, address indexed buyer, address provider, uint128 amount, uint16 feeBps, uint40 fulfilBy
    );
    event JobFulfilled(bytes32 indexed key, bytes32 deliverable, uint40 releaseBy);
    event JobReleased(bytes32 indexed key, address indexed provider, uint256 net, uint256 fee, bool isAutomatic);
    event JobRefunded(bytes32 indexed key, address indexed buyer, uint256 amount);
    /// @dev `decideBy` is 0: no time decides. Version 1 gave the buyer the money back at that time.
    event JobDisputed(bytes32 indexed key, bytes32 reason, uint40 decideBy);
    event DisputeWithdrawn(bytes32 indexed key, uint40 releaseBy);
    event DisputeDecided(bytes32 indexed key, bool isForProvider, bytes32 verdict);
    event Owed(address indexed party, uint256 amount);
    event OrphanReturned(address indexed buyer, bytes32 indexed nonce, uint256 amount);

    /// @notice The service's share of a release, in basis points.
    uint16 public constant FEE_BPS = 2000;
    uint40 public constant RELEASE_WINDOW = 72 hours;
    uint40 public constant FULFIL_AHEAD_MAX = 365 days;
    /// @notice The rules of this contract. Version 1 had no such function; version 2 took its own
    /// addresses as parties.
    uint16 public constant version = 3;

    bytes32 private constant FULFIL = keccak256("Fulfil(bytes32 key,bytes32 deliverable)");
    bytes32 private constant RELEASE = keccak256("Release(bytes32 key)");
    bytes32 private constant GIVE_BACK = keccak256("GiveBack(bytes32 key)");
    bytes32 private constant DISPUTE = keccak256("Dispute(bytes32 key,bytes32 reason)");
    bytes32 private constant WITHDRAW_DISPUTE = keccak256("WithdrawDispute(bytes32 key)");

    IDollar public immutable token;
    address public immutable operator;
    address public immutable arbiter;
    address public immutable treasury;

    /// @notice Money of jobs that are not over.
    uint256 public held;
    /// @notice Money that a party could not be sent, and fetches itself.
    uint256 public owedTotal;
    mapping(address party => uint256) public owed;
    mapping(bytes32 key => Job) private _jobs;
    /// @dev Authorizations whose money has become a job or gone back.
    mapping(address buyer => mapping(bytes32 nonce => bool)) private _isSpent;

    constructor(address token_, address operator_, address arbiter_, address treasury_)
        EIP712("Stoa JobEscrow", "1")
    {
        token = IDollar(token_);
        operator = operator_;
        arbiter = arbiter_;
        treasury = treasury_;
    }

    modifier onlyOperator() {
        require(msg.sender == operator, NotTheOperator(msg.sender));
        _;
    }

    /// @notice The name of a job, and the nonce of the authorization that funds it by its terms.
    function keyOf(Terms calldata terms) public view returns (bytes32) {
        return keccak256(
            abi.encode(
                block.chainid,
                address(this),
                terms.jobId,
                terms.buyer,
                terms.provider,
                terms.amount,
                terms.fulfilBy,
                FEE_BPS,
                RELEASE_WINDOW
            )
        );
    }

    function jobs(bytes32 key) external view returns (Job memory) {
        return _jobs[key];
    }

    /// @notice Money in this contract that belongs to no job and to no party.
    function unaccounted() public view returns (uint256) {
        return token.balanceOf(address(this)) - held - owedTotal;
    }

    // -- Funding

    /// @notice Funds a job by an authorization whose nonce is the job's key: the buyer has signed the
    /// terms. Anyone may bring it.
    function fundWithAuthorization(
        Terms calldata terms,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external nonReentrant {
        bytes32 key = _open(terms);
        _isSpent[terms.buyer][key] = true;
        token.receiveWithAuthorization(
            terms.buyer, address(this), terms.amount, validAfter, validBefore, key, signature
        );
        _requireCovered(terms.amount, key, terms);
    }

    /// @notice Funds a job by an ordinary x402 `exact` payment to this contract. The buyer signed the
    /// amount, not the terms: the operator vouches for those.
    function fundExact(
        Terms calldata terms,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external onlyOperator nonReentrant {
        bytes32 key = _open(terms);
        _isSpent[terms.buyer][nonce] = true;
        token.transferWithAuthorization(
            terms.buyer, address(this), terms.amount, validAfter, validBefore, nonce, signature
        );
        _requireCovered(terms.amount, key, terms);
    }

    /// @notice Makes a job of money that somebody else brought here with the buyer's authorization.
    function creditOrphan(Terms calldata terms, bytes32 nonce) external onlyOperator nonReentrant {
        bytes32 key = _open(terms);
        _spend(terms.buyer, nonce);
        _requireCovered(terms.amount, key, terms);
    }

    /// @notice Gives back money that came here and belongs to no job.
    function returnOrphan(address buyer, bytes32 nonce, uint256 amount) external onlyOperator nonReentrant {
        _spend(buyer, nonce);
        require(unaccounted() >= amount, MoneyMissing(amount));
        emit OrphanReturned(buyer, nonce, amount);
        _pay(buyer, amount);
    }

    // -- Moves of the parties: in person with an empty signature, or brought by anyone

    function fulfil(bytes32 key, bytes32 deliverable, bytes calldata signature) external {
        Job storage job = _in(key, State.Escrowed);
        _requireParty(job.provider, keccak256(abi.encode(FULFIL, key, deliverable)), signature);
        require(block.timestamp <= job.fulfilBy, TooLate(job.fulfilBy));
        job.state = State.Fulfilled;
        job.deliverable = deliverable;
        job.releaseBy = uint40(block.timestamp) + RELEASE_WINDOW;
        emit JobFulfilled(key, deliverable, job.releaseBy);
    }

    function release(bytes32 key, bytes calldata signature) external nonReentrant {
        Job storage job = _jobs[key];
        require(
            job.state == State.Escrowed || job.state == State.Fulfilled || job.state == State.Disputed,
            WrongState(job.state)
        );
        _requireParty(job.buyer, keccak256(abi.encode(RELEASE, key)), signature);
        _release(key, job, false);
    }

    /// @notice The provider gives the money back of its own will.
    function giveBack(bytes32 key, bytes calldata signature) external nonReentrant {
        Job storage job = _jobs[key];
        require(
            job.state == State.Escrowed || job.state == State.Fulfilled || job.state == State.Disputed,
            WrongState(job.state)
        );
        _requireParty(job.provider, keccak256(abi.encode(GIVE_BACK, key)), signature);
        _refund(key, job);
    }

    /// @notice Freezes the release window, once in the life of a job.
    function dispute(bytes32 key, bytes32 reason, bytes calldata signature) external {
        Job storage job = _in(key, State.Fulfilled);
        _requireParty(job.buyer, keccak256(abi.encode(DISPUTE, key, reason)), signature);
        require(!job.wasDisputed, WrongState(job.state));
        require(block.timestamp < job.releaseBy, TooLate(job.releaseBy));
        job.state = State.Disputed;
        job.wasDisputed = true;
        job.disputedAt = uint40(block.timestamp);
        emit JobDisputed(key, reason, 0);
    }

    /// @notice The buyer takes the dispute back; the window runs for what was left of it.
    function withdrawDispute(bytes32 key, bytes calldata signature) external {
        Job storage job = _in(key, State.Disputed);
        _requireParty(job.buyer, keccak256(abi.encode(WITHDRAW_DISPUTE, key)), signature);
        job.state = State.Fulfilled;
        job.releaseBy += uint40(block.timestamp) - job.disputedAt;
        emit DisputeWithdrawn(key, job.releaseBy);
    }

    /// @notice The arbiter decides, at any time of the dispute. A verdict ends the job at once.
    function decide(bytes32 key, bool isForProvider, bytes32 verdict) external nonReentrant {
        require(msg.sender == arbiter, NotTheParty(arbiter));
        Job storage job = _in(key, State.Disputed);
        emit DisputeDecided(key, isForProvider, verdict);
        if (isForProvider) _release(key, job, false);
        else _refund(key, job);
    }

    // -- Ends that time brings, by anyone

    /// @notice Pays a delivered job whose window is over.
    function settleExpired(bytes32 key) external nonReentrant {
        Job storage job = _in(key, State.Fulfilled);
        require(block.timestamp >= job.releaseBy, TooEarly(job.releaseBy));
        _release(key, job, true);
    }

    /// @notice Gives the money of a job back that was never delivered.
    function refundUnfulfilled(bytes32 key) external nonReentrant {
        Job storage job = _in(key, State.Escrowed);
        require(block.timestamp > job.fulfilBy, TooEarly(job.fulfilBy));
        _refund(key, job);
    }

    /// @notice Fetches money that could not be sent, to any address.
    function fetch(address to) external nonReentrant {
        uint256 amount = owed[msg.sender];
        require(amount > 0, NothingOwed(msg.sender));
        owed[msg.sender] = 0;
        owedTotal -= amount;
        require(token.transfer(to, amount), MoneyMissing(amount));
    }

    // -- Inside

    function _open(Terms calldata terms) private returns (bytes32 key) {
        require(
            terms.amount > 0 && _mayBeParty(terms.buyer) && _mayBeParty(terms.provider)
                && terms.fulfilBy > block.timestamp && terms.fulfilBy <= block.timestamp + FULFIL_AHEAD_MAX,
            TermsInvalid()
        );
        key = keyOf(terms);
        Job storage job = _jobs[key];
        require(job.state == State.None, JobKnown(key));
        job.state = State.Escrowed;
        job.buyer = terms.buyer;
        job.provider = terms.provider;
        job.amount = terms.amount;
        job.fulfilBy = terms.fulfilBy;
    }

    /// @dev Money that is paid to one of these is nobody's, or never leaves; and nobody judges itself.
    function _mayBeParty(address party) private view returns (bool) {
        return party != address(0) && party != address(this) && party != address(token)
            && party != treasury && party != arbiter;
    }

    /// @dev Looked at after the money has come: what was here before belongs to others.
    function _requireCovered(uint256 amount, bytes32 key, Terms calldata terms) private {
        require(unaccounted() >= amount, MoneyMissing(amount));
        held += amount;
        emit JobEscrowed(
            key, terms.jobId, terms.buyer, terms.provider, terms.amount, FEE_BPS, terms.fulfilBy
        );
    }

    function _spend(address buyer, bytes32 nonce) private {
        require(token.authorizationState(buyer, nonce) && !_isSpent[buyer][nonce], MoneyMissing(0));
        _isSpent[buyer][nonce] = true;
    }

    function _release(bytes32 key, Job storage job, bool isAutomatic) private {
        uint256 fee = uint256(job.amount) * FEE_BPS / 10_000;
        uint256 net = job.amount - fee;
        job.state = State.Released;
        held -= job.amount;
        emit JobReleased(key, job.provider, net, fee, isAutomatic);
        _pay(job.provider, net);
        _pay(treasury, fee);
    }

    function _refund(bytes32 key, Job storage job) private {
        job.state = State.Refunded;
        held -= job.amount;
        emit JobRefunded(key, job.buyer, job.amount);
        _pay(job.buyer, job.amount);
    }

    /// @dev A party that cannot receive must not hold up the other one: its money waits.
    function _pay(address to, uint256 amount) private {
        if (amount == 0) return;
        try token.transfer(to, amount) returns (bool isDone) {
            if (isDone) return;
        } catch {}
        owed[to] += amount;
        owedTotal += amount;
        emit Owed(to, amount);
    }

    function _in(bytes32 key, State state) private view returns (Job storage job) {
        job = _jobs[key];
        require(job.state == state, WrongState(job.state));
    }

    function _requireParty(address party, bytes32 structHash, bytes calldata signature) private view {
        if (msg.sender == party) return;
        require(
            SignatureChecker.isValidSignatureNow(party, _hashTypedDataV4(structHash), signature),
            NotTheParty(party)
        );
    }
}
