import { AppError } from '../../../src/domain/common/error.ts';
import type { MicroUsdText } from '../../../src/domain/common/money.ts';
import { SECOND_MS } from '../../../src/domain/common/time.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import type {
  ChainFacts,
  OperatorTransfer,
  PaymentChain,
  PaymentFault,
  TransferOutcome,
} from '../../../src/domain/payment/payment-chain.ts';
import { authorizationDigest } from '../../../src/providers/chain/digest.ts';
import { SetAside, sumOf } from '../../../src/providers/chain/local/set-aside.ts';
import {
  transferAuthorization,
  transferOutcome,
} from '../../../src/providers/chain/operator-transfer.ts';
import { digestSigner, freshKey } from '../../../src/providers/chain/signature.ts';
import { type GasMeter, openGasMeter } from '../../../src/providers/chain/trust/gas-meter.ts';
import { authorizationKey } from '../../../src/providers/payment/authorization-key.ts';
import {
  contractCheck,
  forgeryCheck,
  isSameAddress,
  isSignedByKey,
  localCheck,
} from '../../../src/providers/payment/local-check.ts';
import { offerReceiptSigner } from '../../../src/providers/payment/offer-receipt.ts';
import { settlementGas } from '../../../src/providers/payment/settle.ts';
import { memoryBelonging } from './memory-belonging.ts';
import { type MemoryLedger, type Movement, memoryLedger } from './memory-ledger.ts';
import { type MemoryTrust, memoryTrust } from './memory-trust.ts';

/**
 * The fate of a broadcast. `late` moves the money but loses the answer. `lost` never arrives.
 * `reverted` moves nothing now. `refused` never moves anything: the chain proves that the
 * authorization cannot be used any more.
 */
export type BroadcastFate = 'settled' | 'late' | 'lost' | 'reverted' | 'refused';

/** Switches for injected faults of the chain. */
export interface ChainDial {
  /** Fates of the next broadcasts (settle, transfer), in order. All later ones settle. */
  readonly fates: BroadcastFate[];
  /** While true, no call is answered. */
  isDown: boolean;
}

/** The initial state of a chain in memory. */
export interface MemoryChainOptions {
  /** Initial balances by address, in micro-dollars. The treasury has 1,000 dollars. */
  readonly balances?: Readonly<Record<string, MicroUsdText>>;
  /** Returns the current time in milliseconds. Decides expiry in `lookUp` and `settle`. */
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
  readonly dial: ChainDial;
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
export function memoryPaymentChain(options: MemoryChainOptions = {}): MemoryPaymentChain {
  const treasury = digestSigner(options.treasuryKey ?? freshKey());
  const facts = memoryFacts(treasury.address);
  const ledger = options.ledger ?? memoryLedger();
  ledger.open({ ...options.balances, [treasury.address]: TREASURY_START.toString() });
  const forgery = forgeryCheck(facts);
  const dial: ChainDial = { fates: [], isDown: false };
  let rpcCalls = 0;
  const call = () => {
    rpcCalls += 1;
    if (dial.isDown) throw new AppError('CHAIN_UNAVAILABLE');
  };
  const journal = options.journal ?? ledger.journal;
  const { sent, own, mayBeOurs } = memoryBelonging(ledger, journal, options.journal === undefined);
  const broadcast = (movement: Movement) =>
    sent(movement, () => fated(dial, movement, ledger, () => (rpcCalls += 1)));
  const now = options.now ?? Date.now;
  const nowS = () => Math.floor(now() / SECOND_MS);
  const aside = new SetAside(now);
  const gas = options.gas ?? openGasMeter({ now, budget: undefined });

  const checkLocally = localCheck(facts);
  const scene: SettleScene = { facts, ledger, gas, forgery, broadcast, nowS };
  return {
    facts,
    dial,
    ledger,
    gas,
    trust: memoryTrust({ facts, ledger, treasury, gas, isDown: () => dial.isDown, now }),
    rpcCalls: () => rpcCalls,
    checkLocally,
    check: contractCheck(checkLocally, async (payload) => isVouched(scene, payload, 'call')),
    checkOnChain: async (payload) => {
      call();
      const movement = movementOf(payload);
      // Money that a third party has already sent is not requested again.
      if (mayBeOurs(movement) && lookUp(ledger, movement)?.state === 'settled') return undefined;
      const fault = checkFunds(scene, payload, aside);
      if (fault === undefined) aside.begin(payload.payload.authorization);
      return fault;
    },
    setFree: ({ payload: { authorization } }) => aside.free(authorization),
    settle: async (payload) => {
      const { authorization } = payload.payload;
      aside.hold(authorization);
      const outcome = own(movementOf(payload), memorySettle(scene, payload));
      if (outcome.state !== 'unknown') aside.free(authorization);
      return outcome;
    },
    lookUp: async (payload) => {
      call();
      const movement = movementOf(payload);
      const found = lookUp(ledger, movement);
      const { validBefore } = payload.payload.authorization;
      if (found !== undefined) return own(movement, found);
      return BigInt(validBefore) <= BigInt(nowS()) ? failed(expired()) : { state: 'unspent' };
    },
    transfer: async (order) => transferOutcome(broadcast(refundOf(order, treasury.address))),
    ...offerReceiptSigner(treasury, facts.network),
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

interface SettleScene {
  readonly facts: ChainFacts;
  readonly ledger: MemoryLedger;
  readonly gas: GasMeter;
  readonly forgery: (payload: PaymentPayload) => PaymentFault | undefined;
  readonly broadcast: (movement: Movement) => TransferOutcome;
  readonly nowS: () => number;
}

function checkFunds(
  scene: SettleScene,
  payload: PaymentPayload,
  aside: SetAside,
): PaymentFault | undefined {
  const { facts, ledger, gas } = scene;
  const movement = movementOf(payload);
  const cost = { ...gasFor(payload, facts), gas: SETTLE_GAS, wei: 0n };
  // Payments that are done have already left the balance.
  const others = aside
    .others(payload.payload.authorization)
    .filter(({ from, nonce }) => ledger.find({ ...movement, from, nonce }) === undefined);
  // Money for the escrow may be signed in another form, which the caller has checked.
  const refusal = isSameAddress(movement.to, facts.treasury)
    ? (contractFault(scene, payload, 'call') ?? gas.refuses(cost))
    : undefined;
  return (
    ledger.fault(movement) ??
    refusal ??
    ledger.fault({ ...movement, value: movement.value + sumOf(others) })
  );
}

function memorySettle(scene: SettleScene, payload: PaymentPayload): TransferOutcome {
  const { facts, ledger, gas, broadcast } = scene;
  const movement = movementOf(payload);
  const found = scene.forgery(payload);
  // A contract wallet may have signed instead of a key. It is asked below.
  if (found !== undefined && found.code !== 'PAYMENT_FORGED') return failed(found);
  if (ledger.find(movement) !== undefined) return broadcast(movement);
  const { validBefore } = payload.payload.authorization;
  if (BigInt(validBefore) <= BigInt(scene.nowS())) return failed(expired());
  const fault = isOpen(payload, scene.nowS())
    ? contractFault(scene, payload, 'call')
    : ({ code: 'PAYMENT_EXPIRED', message: 'The authorization is not valid yet.' } as const);
  if (fault !== undefined) return undecided(fault);
  const name = authorizationKey(payload.payload.authorization);
  const account = gasFor(payload, facts);
  const over = gas.hold({ ...account, name, gas: SETTLE_GAS, wei: 0n });
  if (over !== undefined) return undecided(over);
  // The contract's answer in the block decides, and the gas is spent by then.
  const reverted = contractFault(scene, payload, 'block');
  const outcome = reverted === undefined ? broadcast(movement) : undecided(reverted);
  if (outcome.state === 'unknown' && outcome.fault === undefined) return outcome;
  const end = outcome.state === 'settled' ? 'earned' : 'failed';
  gas.settle(name, { gas: SETTLE_GAS, wei: 0n, end });
  return outcome;
}

function isOpen({ payload: { authorization } }: PaymentPayload, nowS: number): boolean {
  const { validAfter, validBefore } = authorization;
  return BigInt(validAfter) < BigInt(nowS) && BigInt(nowS) < BigInt(validBefore);
}

function memoryFacts(treasury: string): ChainFacts {
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

function movementOf({ payload: { authorization } }: PaymentPayload): Movement {
  const { from, to, value, nonce } = authorization;
  return { from, to, value: BigInt(value), nonce };
}

function refundOf(order: OperatorTransfer, treasury: string): Movement {
  const { from, to, value, nonce } = transferAuthorization(order, treasury, 0);
  return { from, to, value: BigInt(value), nonce };
}

function fated(
  dial: ChainDial,
  movement: Movement,
  ledger: MemoryLedger,
  count: () => void,
): TransferOutcome {
  count();
  const fate = dial.fates.shift() ?? 'settled';
  if (dial.isDown || fate === 'lost') {
    return { state: 'unknown', transaction: null, detail: 'the chain does not answer' };
  }
  if (fate === 'refused') {
    return failed({ code: 'SETTLEMENT_FAILED', message: 'The chain refused the transfer.' });
  }
  if (fate === 'reverted') {
    return undecided({ code: 'SETTLEMENT_FAILED', message: 'The transfer was reverted.' });
  }
  const earlier = lookUp(ledger, movement);
  const fault = ledger.fault(movement);
  if (earlier === undefined && fault !== undefined) return undecided(fault);
  const outcome = earlier ?? settled(ledger.move(movement));
  if (fate === 'settled' || outcome.state !== 'settled') return outcome;
  return { state: 'unknown', transaction: outcome.transaction, detail: 'no receipt in time' };
}

/** Returns the outcome of a used nonce, or `undefined` while it is unused. */
function lookUp(ledger: MemoryLedger, movement: Movement): TransferOutcome | undefined {
  const used = ledger.find(movement);
  if (used === undefined) return undefined;
  const isSame = isSameAddress(used.to, movement.to) && used.value === movement.value;
  if (isSame) return settled(used);
  return failed({
    code: 'PAYMENT_REPLAYED',
    message: 'The authorization was spent on another transfer.',
  });
}

function settled({ transaction, block }: { transaction: string; block: number }): TransferOutcome {
  return { state: 'settled', transaction, block };
}

function failed(fault: PaymentFault): TransferOutcome & { state: 'failed' } {
  return { state: 'failed', fault };
}

/** Returns a failure for now: until the authorization expires, somebody may still send it. */
function undecided(fault: PaymentFault): TransferOutcome {
  return { state: 'unknown', transaction: null, detail: fault.message, fault };
}

function expired(): PaymentFault {
  return { code: 'PAYMENT_EXPIRED', message: 'The authorization expired unused.' };
}

/** Approximate gas of a settlement on a real chain. */
const SETTLE_GAS = 80_000;

function gasFor({ payload }: PaymentPayload, facts: ChainFacts) {
  const treasury = { address: facts.treasury };
  return settlementGas({ accounts: { treasury } }, payload, isByKey(facts, payload));
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

type Where = 'call' | 'block';

function contractFault(
  scene: Pick<SettleScene, 'ledger' | 'facts'>,
  { payload }: PaymentPayload,
  where: Where,
): PaymentFault | undefined {
  if (isByKey(scene.facts, payload) || isVouched(scene, payload, where)) return undefined;
  return { code: 'PAYMENT_FORGED', message: 'No contract wallet confirms the signature.' };
}

/** Returns whether the payer's contract wallet confirms the signature. */
function isVouched(
  { ledger: { contracts }, facts }: Pick<SettleScene, 'ledger' | 'facts'>,
  payload: PaymentPayload['payload'],
  where: Where,
): boolean {
  const wallet = contracts.wallets.get(payload.authorization.from.toLowerCase());
  return wallet?.(digestAuthorization(facts, payload), payload.signature, where) === true;
}
