import { parseAbi } from 'viem/utils';

// Split to fit the line width; `as const` keeps the literal types.
const TIMES = 'uint256 validAfter, uint256 validBefore' as const;
const TERMS =
  'bytes32 jobId; address buyer; address provider; uint128 amount; uint40 fulfilBy;' as const;
const PARTIES =
  'address buyer; uint8 state; bool wasDisputed; uint40 fulfilBy; address provider;' as const;
const REST = 'uint40 releaseBy; uint40 disputedAt; uint128 amount; bytes32 deliverable;' as const;
const NAMES = 'bytes32 indexed key, bytes32 indexed jobId, address indexed buyer' as const;
const SHARES = 'address provider, uint128 amount, uint16 feeBps, uint40 fulfilBy' as const;
const PAID = 'uint256 net, uint256 fee, bool isAutomatic' as const;

/** The functions of the escrow (contracts/JobEscrow.sol) that are used here. */
export const ESCROW_ABI = parseAbi([
  `struct Terms { ${TERMS} }`,
  `struct Job { ${PARTIES} ${REST} }`,
  'function token() view returns (address)',
  'function operator() view returns (address)',
  'function arbiter() view returns (address)',
  'function treasury() view returns (address)',
  'function FEE_BPS() view returns (uint16)',
  'function version() view returns (uint16)',
  'function held() view returns (uint256)',
  'function owedTotal() view returns (uint256)',
  'function owed(address party) view returns (uint256)',
  'function jobs(bytes32 key) view returns (Job)',
  `function fundWithAuthorization(Terms terms, ${TIMES}, bytes signature)`,
  `function fundExact(Terms terms, ${TIMES}, bytes32 nonce, bytes signature)`,
  'function creditOrphan(Terms terms, bytes32 nonce)',
  'function returnOrphan(address buyer, bytes32 nonce, uint256 amount)',
  'function fulfil(bytes32 key, bytes32 deliverable, bytes signature)',
  'function release(bytes32 key, bytes signature)',
  'function giveBack(bytes32 key, bytes signature)',
  'function dispute(bytes32 key, bytes32 reason, bytes signature)',
  'function withdrawDispute(bytes32 key, bytes signature)',
  'function decide(bytes32 key, bool isForProvider, bytes32 verdict)',
  'function settleExpired(bytes32 key)',
  'function refundUnfulfilled(bytes32 key)',
  'function refundUndecided(bytes32 key)',
  `event JobEscrowed(${NAMES}, ${SHARES})`,
  'event JobFulfilled(bytes32 indexed key, bytes32 deliverable, uint40 releaseBy)',
  `event JobReleased(bytes32 indexed key, address indexed provider, ${PAID})`,
  'event JobRefunded(bytes32 indexed key, address indexed buyer, uint256 amount)',
  'event JobDisputed(bytes32 indexed key, bytes32 reason, uint40 decideBy)',
  'event DisputeWithdrawn(bytes32 indexed key, uint40 releaseBy)',
  'event DisputeDecided(bytes32 indexed key, bool isForProvider, bytes32 verdict)',
  'event OrphanReturned(address indexed buyer, bytes32 indexed nonce, uint256 amount)',
  'event Owed(address indexed party, uint256 amount)',
  'error TermsInvalid()',
  'error JobKnown(bytes32 key)',
  'error WrongState(uint8 state)',
  'error NotTheParty(address party)',
  'error NotTheOperator(address caller)',
  'error TooEarly(uint256 due)',
  'error TooLate(uint256 due)',
  'error MoneyMissing(uint256 amount)',
]);

/** The functions of the identity registry (ERC-8004) that are used here. */
export const IDENTITY_ABI = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes signature)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)',
  'function ownerOf(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'function safeTransferFrom(address from, address to, uint256 agentId)',
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
  'error NotAuthorized(address caller, uint256 agentId)',
  'error ReservedKey(string metadataKey)',
  'error WalletMissing()',
  'error SignatureExpired(uint256 deadline)',
  'error DeadlineTooFar(uint256 deadline)',
  'error WalletSignatureInvalid(address wallet)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InvalidReceiver(address receiver)',
]);

const FEEDBACK = 'uint256 agentId, int128 value, uint8 valueDecimals, string tag1' as const;
const FILE = 'string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash' as const;

/** The functions of the reputation registry (ERC-8004) that are used here. */
export const REPUTATION_ABI = parseAbi([
  `function giveFeedback(${FEEDBACK}, ${FILE})`,
  'error SelfFeedback(address client, uint256 agentId)',
]);

/** The contract that anchors roots (contracts/ProofAnchor.sol). */
export const ANCHOR_ABI = parseAbi([
  'function anchor(uint64 size, bytes32 root)',
  'function latestSize(address log) view returns (uint64)',
  'function rootAt(address log, uint64 size) view returns (bytes32)',
  'event Anchored(address indexed log, uint64 indexed size, bytes32 root)',
  'error NotLarger(uint64 size, uint64 anchored)',
]);

/** The retired prediction platform. */
export const PREDICTION_ABI = parseAbi(['function marketCount() view returns (uint256)']);

/** Contract wallets (ERC-1271). */
export const WALLET_ABI = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
