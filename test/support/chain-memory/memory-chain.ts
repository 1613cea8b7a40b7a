import { AppError } from '../../../src/domain/common/error.ts';
import type { MicroUsdText } from '../../../src/domain/common/money.ts';
import { SECOND_MS } from '../../../src/domain/common/time.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import type {
  ChainFacts,
  OperatorTransfer,
  PaymentChain,
  PaymentFailure,
  TransferOutcome,
} from '../../../src/domain/payment/payment-chain.ts';
import { authorizationDigest } from '../../../src/providers/chain/digest.ts';
import {
  FundReservations,
  sumPayments,
} from '../../../src/providers/chain/local/fund-reservations.ts';
import {
  createTransferAuthorization,
  toTransferOutcome,
} from '../../../src/providers/chain/operator-transfer.ts';
import { createDigestSigner, generateKey } from '../../../src/providers/chain/signature.ts';
import { type GasMeter, openGasMeter } from '../../../src/providers/chain/trust/gas-meter.ts';
import { authorizationKey } from '../../../src/providers/payment/authorization-key.ts';
import {
  createContractCheck,
  createForgeryCheck,
  createLocalCheck,
  isSameAddress,
  isSignedByKey,
} from '../../../src/providers/payment/local-check.ts';
import { createOfferReceiptSigner } from '../../../src/providers/payment/offer-receipt.ts';
import { settlementGasAccount } from '../../../src/providers/payment/settle.ts';
import { createMemoryLedger, type MemoryLedger, type TokenTransfer } from './memory-ledger.ts';
import { createMemoryPaymentOwnership } from './memory-payment-ownership.ts';
import { createMemoryTrust, type MemoryTrust } from './memory-trust.ts';

/**
 * The fate of a broadcast. `late` moves the money but loses the answer. `lost` never arrives.
 * `reverted` moves nothing now. `refused` never moves anything: the chain proves that the
 * authorization cannot be used any more.
 */
export type BroadcastFate = 'settled' | 'late' | 'lost' | 'reverted' | 'refused';

/** Switches for injected faults of the chain. */
export interface ChainFaults {
  /** Fates of the next broadcasts (settle, transfer), in order. All later ones settle. */
  readonly fates: BroadcastFate[];
  /** While true, no call is answered. */
  isDown: boolean;
}

/** The initial state of a chain in memory. */
export interface MemoryChainOptions {
  /** Initial balances by address, in micro-dollars. The treasury has 1,000 dollars. */
  readonly balances?: Readonly<Record<string, MicroUsdText>>;
  /** Returns the current time in milliseconds. Decides expiry in `findOutcome` and `settle`. */
  readonly now?: () => number;
  /** Key of the treasury. Default: a fresh key. */
  readonly treasuryKey?: `0x${string}`;
  /** Gas meter. Default: one without a file. */
  readonly gas?: GasMeter;
  /** State of an earlier chain, as after a restart. */
  readonly ledger?: MemoryLedger;
  /**
   * Transactions that this server has sent, if several servers share one treasury. Without it, this
   * is the only server on the chain.
   */
  readonly journal?: Set<string>;
}

/** A payment chain in memory, with its ledger and fault switches. */
export interface MemoryPaymentChain extends PaymentChain {
  readonly faults: ChainFaults;
  readonly ledger: MemoryLedger;
  /** Counts what calls and settlements would have cost. */
  readonly gas: GasMeter;
  /** The trust contracts, on the same ledger. */
  readonly trust: MemoryTrust;
  /** Returns the number of calls that a real chain would have answered over RPC. */
  readonly rpcCalls: () => number;
}

const CHAIN_ID = 31_337;
const TOKEN = '0x00000000000000000000000000000000000d011a';
const TREASURY_START = 1_000_000_000n;

/**
 * Creates a payment chain in memory for tests, with real signature checks and a ledger in place of
 * a contract. Nothing outlives the process.
 */
export function createMemoryPaymentChain(options: MemoryChainOptions = {}): MemoryPaymentChain {
  const treasury = createDigestSigner(options.treasuryKey ?? generateKey());
  const facts = createMemoryFacts(treasury.address);
  const { now = Date.now, ledger = createMemoryLedger() } = options;
  ledger.setInitialBalances({ ...options.balances, [treasury.address]: TREASURY_START.toString() });
  const forgery = createForgeryCheck(facts);
  const dial: ChainFaults = { fates: [], isDown: false };
  let rpcCalls = 0;
  const call = () => {
    rpcCalls += 1;
    if (dial.isDown) throw new AppError('CHAIN_UNAVAILABLE');
  };
  const journal = options.journal ?? ledger.journal;
  const { recordSent, requireOwn, isClaimable } = createMemoryPaymentOwnership(
    ledger,
    journal,
    options.journal === undefined,
  );
  const broadcast = (movement: TokenTransfer) =>
    recordSent(movement, () => broadcastWithFate(dial, movement, ledger, () => (rpcCalls += 1)));
  const nowS = () => Math.floor(now() / SECOND_MS);
  const reservations = new FundReservations(now);
  const gas = options.gas ?? openGasMeter({ now, budget: undefined });

  const checkLocally = createLocalCheck(facts);
  const context: SettleContext = { facts, ledger, gas, forgery, broadcast, nowS };
  return {
    facts,
    faults: dial,
    ledger,
    gas,
    trust: createMemoryTrust({ facts, ledger, treasury, gas, isDown: () => dial.isDown, now }),
    rpcCalls: () => rpcCalls,
    checkLocally,
    check: createContractCheck(checkLocally, async (payload) =>
      isConfirmedByWallet(context, payload, 'call'),
    ),
    checkOnChain: async (payload) => {
      call();
      const movement = toMovement(payload);
      // Money that a third party has already sent is not requested again.
      if (isClaimable(movement) && findOutcome(ledger, movement)?.state === 'settled')
        return undefined;
      const fault = checkFunds(context, payload, reservations);
      if (fault === undefined) reservations.reserve(payload.payload.authorization);
      return fault;
    },
    releaseReservation: ({ payload: { authorization } }) => reservations.release(authorization),
    settle: async (payload) => {
      const { authorization } = payload.payload;
      reservations.hold(authorization);
      const outcome = requireOwn(toMovement(payload), memorySettle(context, payload));
      if (outcome.state !== 'unknown') reservations.release(authorization);
      return outcome;
    },
    queryOutcome: async (payload) => {
      call();
      const movement = toMovement(payload);
      const found = findOutcome(ledger, movement);
      const { validBefore } = payload.payload.authorization;
      if (found !== undefined) return requireOwn(movement, found);
      return BigInt(validBefore) <= BigInt(nowS())
        ? failedOutcome(expiredFault())
        : { state: 'unspent' };
    },
    transfer: async (order) =>
      toTransferOutcome(broadcast(toRefundMovement(order, treasury.address))),
    ...createOfferReceiptSigner(treasury, facts.network),
    balance: async (address) => {
      call();
      return ledger.balance(address).toString();
    },
    faucet: async (to, amount) => {
      call();
      return { transaction: ledger.mint(to, BigInt(amount)) };
    },
    close: async () => undefined,
  };
}

interface SettleContext {
  readonly facts: ChainFacts;
  readonly ledger: MemoryLedger;
  readonly gas: GasMeter;
  readonly forgery: (payload: PaymentPayload) => PaymentFailure | undefined;
  readonly broadcast: (movement: TokenTransfer) => TransferOutcome;
  readonly nowS: () => number;
}

function checkFunds(
  scene: SettleContext,
  payload: PaymentPayload,
  aside: FundReservations,
): PaymentFailure | undefined {
  const { facts, ledger, gas } = scene;
  const movement = toMovement(payload);
  const cost = { ...settlementGasFor(payload, facts), gas: SETTLE_GAS, wei: 0n };
  // Payments that are done have already left the balance.
  const pendingPayments = aside
    .othersOfPayer(payload.payload.authorization)
    .filter(({ from, nonce }) => ledger.findTransfer({ ...movement, from, nonce }) === undefined);
  // Money for the escrow may be signed in another form, which the caller has checked.
  const refusal = isSameAddress(movement.to, facts.treasury)
    ? (contractFault(scene, payload, 'call') ?? gas.checkBudget(cost))
    : undefined;
  return (
    ledger.checkTransfer(movement) ??
    refusal ??
    ledger.checkTransfer({ ...movement, value: movement.value + sumPayments(pendingPayments) })
  );
}

function memorySettle(scene: SettleContext, payload: PaymentPayload): TransferOutcome {
  const { facts, ledger, gas, broadcast } = scene;
  const movement = toMovement(payload);
  const found = scene.forgery(payload);
  // A contract wallet may have signed instead of a key. It is asked below.
  if (found !== undefined && found.code !== 'PAYMENT_FORGED') return failedOutcome(found);
  if (ledger.findTransfer(movement) !== undefined) return broadcast(movement);
  const { validBefore } = payload.payload.authorization;
  if (BigInt(validBefore) <= BigInt(scene.nowS())) return failedOutcome(expiredFault());
  const fault = isWithinValidity(payload, scene.nowS())
    ? contractFault(scene, payload, 'call')
    : ({ code: 'PAYMENT_EXPIRED', message: 'The authorization is not valid yet.' } as const);
  if (fault !== undefined) return unknownOutcome(fault);
  const name = authorizationKey(payload.payload.authorization);
  const account = settlementGasFor(payload, facts);
  const over = gas.hold({ ...account, name, gas: SETTLE_GAS, wei: 0n });
  if (over !== undefined) return unknownOutcome(over);
  // The contract's answer in the block decides, and the gas is spent by then.
  const reverted = contractFault(scene, payload, 'block');
  const outcome = reverted === undefined ? broadcast(movement) : unknownOutcome(reverted);
  if (outcome.state === 'unknown' && outcome.fault === undefined) return outcome;
  const end = outcome.state === 'settled' ? 'earned' : 'failed';
  gas.settle(name, { gas: SETTLE_GAS, wei: 0n, end });
  return outcome;
}

function isWithinValidity({ payload: { authorization } }: PaymentPayload, nowS: number): boolean {
  const { validAfter, validBefore } = authorization;
  return BigInt(validAfter) < BigInt(nowS) && BigInt(nowS) < BigInt(validBefore);
}

function createMemoryFacts(treasury: string): ChainFacts {
  return {
    chainId: CHAIN_ID,
    network: `eip155:${CHAIN_ID}`,
    rpcUrl: 'memory:',
    token: TOKEN,
    tokenName: 'Memory Dollar',
    tokenVersion: '1',
    treasury,
    isLocal: true,
  };
}

function toMovement({ payload: { authorization } }: PaymentPayload): TokenTransfer {
  const { from, to, value, nonce } = authorization;
  return { from, to, value: BigInt(value), nonce };
}

function toRefundMovement(order: OperatorTransfer, treasury: string): TokenTransfer {
  const { from, to, value, nonce } = createTransferAuthorization(order, treasury, 0);
  return { from, to, value: BigInt(value), nonce };
}

function broadcastWithFate(
  dial: ChainFaults,
  movement: TokenTransfer,
  ledger: MemoryLedger,
  count: () => void,
): TransferOutcome {
  count();
  const fate = dial.fates.shift() ?? 'settled';
  if (dial.isDown || fate === 'lost') {
    return { state: 'unknown', transaction: null, detail: 'the chain does not answer' };
  }
  if (fate === 'refused') {
    return failedOutcome({ code: 'SETTLEMENT_FAILED', message: 'The chain refused the transfer.' });
  }
  if (fate === 'reverted') {
    return unknownOutcome({ code: 'SETTLEMENT_FAILED', message: 'The transfer was reverted.' });
  }
  const earlier = findOutcome(ledger, movement);
  const fault = ledger.checkTransfer(movement);
  if (earlier === undefined && fault !== undefined) return unknownOutcome(fault);
  const outcome = earlier ?? settledOutcome(ledger.transfer(movement));
  if (fate === 'settled' || outcome.state !== 'settled') return outcome;
  return { state: 'unknown', transaction: outcome.transaction, detail: 'no receipt in time' };
}

/** Returns the outcome of a used nonce, or `undefined` while it is unused. */
function findOutcome(ledger: MemoryLedger, movement: TokenTransfer): TransferOutcome | undefined {
  const used = ledger.findTransfer(movement);
  if (used === undefined) return undefined;
  const isSame = isSameAddress(used.to, movement.to) && used.value === movement.value;
  if (isSame) return settledOutcome(used);
  return failedOutcome({
    code: 'PAYMENT_REPLAYED',
    message: 'The authorization was spent on another transfer.',
  });
}

function settledOutcome({
  transaction,
  block,
}: {
  transaction: string;
  block: number;
}): TransferOutcome {
  return { state: 'settled', transaction, block };
}

function failedOutcome(fault: PaymentFailure): TransferOutcome & { state: 'failed' } {
  return { state: 'failed', fault };
}

/** Returns a failure for now: until the authorization expires, somebody may still send it. */
function unknownOutcome(fault: PaymentFailure): TransferOutcome {
  return { state: 'unknown', transaction: null, detail: fault.message, fault };
}

function expiredFault(): PaymentFailure {
  return { code: 'PAYMENT_EXPIRED', message: 'The authorization expired unused.' };
}

/** Approximate gas of a settlement on a real chain. */
const SETTLE_GAS = 80_000;

function settlementGasFor({ payload }: PaymentPayload, facts: ChainFacts) {
  const treasury = { address: facts.treasury };
  return settlementGasAccount({ accounts: { treasury } }, payload, isByKey(facts, payload));
}

function isByKey(facts: ChainFacts, payload: PaymentPayload['payload']): boolean {
  return isSignedByKey(digestAuthorization(facts, payload), payload);
}

function digestAuthorization(
  facts: ChainFacts,
  { authorization }: PaymentPayload['payload'],
): Uint8Array {
  const { tokenName: name, tokenVersion: version, chainId, token } = facts;
  return authorizationDigest({ name, version, chainId, token })(authorization);
}

type SignatureContext = 'call' | 'block';

function contractFault(
  scene: Pick<SettleContext, 'ledger' | 'facts'>,
  { payload }: PaymentPayload,
  where: SignatureContext,
): PaymentFailure | undefined {
  if (isByKey(scene.facts, payload) || isConfirmedByWallet(scene, payload, where)) return undefined;
  return { code: 'PAYMENT_FORGED', message: 'No contract wallet confirms the signature.' };
}

/** Returns whether the payer's contract wallet confirms the signature. */
function isConfirmedByWallet(
  { ledger: { contracts }, facts }: Pick<SettleContext, 'ledger' | 'facts'>,
  payload: PaymentPayload['payload'],
  where: SignatureContext,
): boolean {
  const wallet = contracts.wallets.get(payload.authorization.from.toLowerCase());
  return wallet?.(digestAuthorization(facts, payload), payload.signature, where) === true;
}
