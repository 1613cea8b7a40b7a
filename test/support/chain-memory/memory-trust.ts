import { setTimeout as sleep } from 'node:timers/promises';
import { keccak256, toHex } from 'viem/utils';
import type {
  AnchorContract,
  EscrowContract,
  EscrowLog,
  FeedbackRegistry,
  IdentityRegistry,
  TrustChain,
  TrustContracts,
} from '../../../src/domain/chain/trust-chain.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { Authorization } from '../../../src/domain/payment/payment.ts';
import type { ChainFacts, PaymentFailure } from '../../../src/domain/payment/payment-chain.ts';
import type { DigestSigner } from '../../../src/providers/chain/signature.ts';
import type { GasAccount } from '../../../src/providers/chain/trust/caller.ts';
import { toContractFault } from '../../../src/providers/chain/trust/contract-fault.ts';
import type { GasMeter } from '../../../src/providers/chain/trust/gas-meter.ts';
import { createStatementSigner } from '../../../src/providers/chain/trust/node-trust.ts';
import { digestToSign } from '../../../src/providers/chain/trust/typed-digest.ts';
import {
  computeEscrowKey,
  createMoveData,
  createWalletData,
  ESCROW_FEE_BPS,
} from '../../../src/providers/escrow/escrow-encoding.ts';
import {
  createFundingCheck,
  type FundingOrder,
} from '../../../src/providers/escrow/funding-check.ts';
import { JOB_MIN_MICRO_USD } from '../../../src/providers/escrow/job-minimum.ts';
import { isPayout, moveGasAccount } from '../../../src/providers/escrow/move-gas.ts';
import { authorizationKey } from '../../../src/providers/payment/authorization-key.ts';
import { isSameAddress } from '../../../src/providers/payment/local-check.ts';
import { toError } from './fault-error.ts';
import { hasSigned, type MemoryAnchor, type MemoryCall } from './memory-contracts.ts';
import { createJob, type MemoryEscrowDeps, moveJob, NO_JOB } from './memory-escrow.ts';
import type { MemoryLedger, TokenTransfer } from './memory-ledger.ts';
import {
  type MemoryRegistryDeps,
  mintAgent,
  setAgentUri,
  setAgentWallet,
  transferAgent,
} from './memory-registry.ts';
import { createMemoryRelay, type MemoryRelay } from './memory-relay.ts';

/**
 * The fate of a call: `late` is executed but its answer is lost, `lost` never arrives, `refused` is
 * reverted.
 */
export type CallFate = 'done' | 'late' | 'lost' | 'refused';

/** Switches for injected faults of the contracts. */
export interface TrustFaults {
  /** Fates of the next calls, in order. All later ones are done. */
  readonly fates: CallFate[];
  /** While true, calls that the operator pays for are rejected with `GAS_BUDGET`. */
  isGasSpent: boolean;
}

/** The contracts in memory, with their fault switches. */
export interface MemoryTrust extends TrustChain {
  readonly faults: TrustFaults;
  /** Withholds new logs as unconfirmed until `confirm`. */
  hold(): void;
  confirm(): void;
  /**
   * Moves the transactions of the last logs into new blocks, where their logs are emitted again.
   */
  reorg(logs: number): void;
}

/** The dependencies of the contracts in memory. */
export interface MemoryTrustDeps {
  readonly facts: ChainFacts;
  readonly ledger: MemoryLedger;
  readonly treasury: DigestSigner;
  /** Counts what calls would cost on a real chain. */
  readonly gas: GasMeter;
  /** Returns whether the chain is unreachable. */
  readonly isDown: () => boolean;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

const CONTRACTS: TrustContracts & { readonly [Name in keyof TrustContracts]: string } = {
  identity: '0x0000000000000000000000000000000000008004',
  reputation: '0x0000000000000000000000000000000000008005',
  validation: '0x0000000000000000000000000000000000008006',
  escrow: '0x000000000000000000000000000000000000e5c0',
  anchor: '0x000000000000000000000000000000000000a2c0',
  prediction: '0x00000000000000000000000000000000000009ed',
};
const OPERATOR = `0x${keccak256(toHex('operator in memory')).slice(-40)}`;
const RETRY_MS = 5;

/**
 * Creates the contracts in memory for tests. They have the states and errors of the real ones, on
 * the ledger of a payment chain in memory. Nothing outlives the process.
 */
export function createMemoryTrust(parts: MemoryTrustDeps): MemoryTrust {
  const { facts, ledger, treasury, isDown } = parts;
  const { contracts } = ledger;
  const nowS = () => Math.floor(parts.now() / 1_000);
  const dial: TrustFaults = { fates: [], isGasSpent: false };
  const relay = createMemoryRelay(parts, dial);
  const read = async <Result>(found: () => Result): Promise<Result> => {
    if (isDown()) throw new AppError('CHAIN_UNAVAILABLE');
    return found();
  };
  const feed = createLogFeed(parts);
  const context: TrustContext = { ...parts, nowS, relay, read, dial, feed };
  return {
    faults: dial,
    contracts: CONTRACTS,
    operator: OPERATOR,
    identity: createIdentityRegistry(context),
    reputation: createFeedbackRegistry(context),
    escrow: createEscrow(context),
    anchor: createAnchor(context),
    isSignedBy: async (wallet, data, signature) =>
      hasSigned(contracts, wallet, { digest: digestToSign(data), signature }),
    signStatement: createStatementSigner(treasury, facts.chainId),
    nowS: () => read(nowS),
    readMarketCount: () => read(() => ({ count: '0', block: contracts.block })),
    readMinimumJobBudget: async () => JOB_MIN_MICRO_USD.toString(),
    countPaidCalls: parts.gas.settledPayments,
    gasUsage: () => ({ used: `${parts.gas.used()}`, budget: parts.gas.budget?.toString() ?? null }),
    hold: feed.hold,
    confirm: feed.confirm,
    reorg: (count) => {
      contracts.fork += 1;
      const movedLogs = contracts.logs.splice(Math.max(0, contracts.logs.length - count));
      const blocks = new Map<number, number>();
      for (const log of movedLogs) {
        const block = blocks.get(log.block) ?? contracts.mine().block;
        blocks.set(log.block, block);
        contracts.logs.push({ ...log, block, blockHash: contracts.hashOf(block) });
      }
      feed.notifyFollowers();
    },
  };
}

interface TrustContext extends MemoryTrustDeps {
  readonly nowS: () => number;
  readonly relay: MemoryRelay;
  readonly read: <Result>(found: () => Result) => Promise<Result>;
  readonly dial: TrustFaults;
  readonly feed: LogFeed;
}

function createIdentityRegistry({
  facts,
  ledger,
  nowS,
  relay,
  read,
  dial,
}: TrustContext): IdentityRegistry {
  const { contracts } = ledger;
  const registry = CONTRACTS.identity;
  const parts: MemoryRegistryDeps = {
    chainId: facts.chainId,
    registry,
    operator: OPERATOR,
    contracts,
    nowS,
  };
  const withGasCheck = (act: () => MemoryCall) => (): MemoryCall & { readonly result: null } => {
    if (dial.isGasSpent) throw new AppError('GAS_BUDGET');
    return { ...act(), result: null };
  };
  return {
    agentRegistry: `${facts.network}:${registry}`,
    register: (order) =>
      relay(passportGas(order.wallet), () => {
        if (dial.isGasSpent && !contracts.calls.has(`register:${order.token}`)) {
          throw new AppError('GAS_BUDGET');
        }
        const minted = mintAgent(parts, order);
        return { ...minted, result: { agentId: minted.result } };
      }),
    createWalletRequest: (order) => createWalletData({ chainId: facts.chainId, registry }, order),
    setWallet: (order) =>
      relay(
        passportGas(order.wallet),
        withGasCheck(() => setAgentWallet(parts, order)),
      ),
    transfer: (agentId, to) =>
      relay(
        passportGas(to),
        withGasCheck(() => transferAgent(parts, agentId, to)),
      ),
    setUri: (agentId, uri) =>
      relay(
        passportGas(undefined),
        withGasCheck(() => setAgentUri(parts, agentId, uri)),
      ),
    read: (agentId) =>
      read(() => {
        const agent = contracts.agents.get(agentId);
        if (agent === undefined) return undefined;
        const { owner, wallet, uri } = agent;
        return { agentId, owner, wallet, uri };
      }),
    metadata: (agentId, key) => read(() => contracts.agents.get(agentId)?.metadata[key] ?? ''),
  };
}

function createFeedbackRegistry(scene: TrustContext): FeedbackRegistry {
  const { ledger, relay, dial } = scene;
  const { agents, feedback, mine } = ledger.contracts;
  return {
    giveFeedback: (order) =>
      relay({ purpose: 'feedback' }, () => {
        if (dial.isGasSpent) throw new AppError('GAS_BUDGET');
        const call = runOnce(scene, `feedback:${order.key}`, () => {
          if (agents.get(order.agentId)?.owner === OPERATOR) {
            throw toError(toContractFault('SelfFeedback', [OPERATOR]) as PaymentFailure);
          }
          feedback.push(order);
          return mine();
        });
        return { ...call, result: null };
      }),
  };
}

function passportGas(wallet: string | undefined): GasAccount {
  return { purpose: 'passports', ...(wallet === undefined ? {} : { wallet }) };
}

function createEscrow(scene: TrustContext): EscrowContract {
  const { facts, ledger, nowS, relay, read, feed } = scene;
  const { contracts } = ledger;
  const escrowAddress = { chainId: facts.chainId, escrow: CONTRACTS.escrow };
  const parts: MemoryEscrowDeps = { place: escrowAddress, ledger, treasury: facts.treasury, nowS };
  const check = createFundingCheck(facts, escrowAddress.escrow, async (wallet, digest, signature) =>
    hasSigned(contracts, wallet, { digest, signature }),
  );
  const keyOf: EscrowContract['computeKey'] = (terms) => computeEscrowKey(escrowAddress, terms);
  return {
    feeBps: ESCROW_FEE_BPS,
    computeKey: keyOf,
    fund: async (order) => {
      const key = keyOf(order.terms);
      const fault = await check(order, key);
      if (fault !== undefined) return { state: 'refused', fault };
      const gasFor = { purpose: 'escrow', wallet: order.terms.buyer, job: key } as const;
      return relay(gasFor, () => {
        const call = runOnce(scene, `fund:${key}`, () => fundJob(parts, key, order));
        feed.notifyFollowers();
        return { ...call, result: { key } };
      });
    },
    returnOrphan: async (authorization) => {
      const mayCome = BigInt(authorization.validBefore) > BigInt(scene.nowS());
      if (mayCome && ledger.findTransfer(toMovement(authorization)) === undefined) {
        return { state: 'unspent' };
      }
      return relay({ purpose: 'closings' }, () => {
        const name = `orphan:${authorizationKey(authorization)}`;
        return { ...runOnce(scene, name, () => returnOrphan(parts, authorization)), result: null };
      });
    },
    move: async (key, move) => {
      const gasFor = moveGasAccount(move, contracts.jobs.get(key) ?? NO_JOB, key);
      const outcome = await relay(gasFor, () => {
        const { signature: _signature, ...words } = { signature: '', ...move };
        const call = runOnce(scene, `move:${key}:${JSON.stringify(words)}`, () =>
          moveJob(parts, key, move),
        );
        feed.notifyFollowers();
        return { ...call, result: null };
      });
      if (outcome.state === 'done' && isPayout(move)) scene.gas.markJobPaid(key);
      return outcome;
    },
    createMoveRequest: (key, move) => createMoveData(escrowAddress, key, move),
    readJob: (key) =>
      read(() => {
        const found = contracts.jobs.get(key) ?? NO_JOB;
        const { jobId: _jobId, wasDisputed: _wasDisputed, ...job } = found;
        return job;
      }),
    readOwed: (party) => read(() => `${contracts.owed.get(party.toLowerCase()) ?? 0n}`),
    readHoldings: () =>
      read(() => {
        const balance = ledger.balance(escrowAddress.escrow);
        const { held } = contracts;
        return {
          block: contracts.block,
          balance: balance.toString(),
          held: held.toString(),
          owed: '0',
          unaccounted: (balance - held).toString(),
        };
      }),
    readLogs: (fromBlock) => read(() => feed.readFrom(fromBlock)),
    subscribe: feed.follow,
  };
}

function runOnce({ ledger }: TrustContext, name: string, act: () => MemoryCall): MemoryCall {
  const { calls } = ledger.contracts;
  const earlier = calls.get(name);
  if (earlier !== undefined) return earlier;
  const call = act();
  calls.set(name, call);
  return call;
}

function fundJob(parts: MemoryEscrowDeps, key: string, order: FundingOrder): MemoryCall {
  const { ledger, nowS } = parts;
  const { authorization, terms } = order;
  const movement = toMovement(authorization);
  if (ledger.findTransfer(movement) !== undefined) {
    requireOrphan(parts, authorization);
    const call = createJob(parts, key, terms);
    ledger.contracts.spent.add(authorizationKey(authorization));
    return call;
  }
  const { validAfter, validBefore } = authorization;
  if (BigInt(validAfter) >= BigInt(nowS()) || BigInt(validBefore) <= BigInt(nowS())) {
    throw new AppError('PAYMENT_EXPIRED');
  }
  const fault: PaymentFailure | undefined = ledger.checkTransfer(movement);
  if (fault !== undefined) throw toError(fault);
  const call = createJob(parts, key, terms);
  ledger.transfer(movement);
  ledger.contracts.spent.add(authorizationKey(authorization));
  return call;
}

function returnOrphan(parts: MemoryEscrowDeps, authorization: Authorization): MemoryCall {
  const { ledger, place } = parts;
  requireOrphan(parts, authorization);
  ledger.contracts.spent.add(authorizationKey(authorization));
  const value = BigInt(authorization.value);
  ledger.pay({ from: place.escrow, to: authorization.from, value });
  return ledger.contracts.mine();
}

/** Requires that the money of an authorization is in the escrow and belongs to no job. */
function requireOrphan({ ledger, place }: MemoryEscrowDeps, authorization: Authorization): void {
  const booked = ledger.findTransfer(toMovement(authorization));
  const isHere =
    booked !== undefined &&
    isSameAddress(booked.to, place.escrow) &&
    booked.value === BigInt(authorization.value) &&
    !ledger.contracts.spent.has(authorizationKey(authorization));
  if (!isHere) throw toError(toContractFault('MoneyMissing', [0]) as PaymentFailure);
}

function toMovement({ from, to, value, nonce }: Authorization): TokenTransfer {
  return { from, to, value: BigInt(value), nonce };
}

function createAnchor({ ledger, relay, read }: TrustContext): AnchorContract {
  const { anchors, mine } = ledger.contracts;
  return {
    anchor: (size, root) =>
      relay({ purpose: 'anchors' }, () => {
        const same = anchors.find((each) => each.size === size && each.root === root);
        if (same !== undefined) return { ...same, result: null };
        const last = anchors.at(-1)?.size ?? 0;
        if (size <= last)
          throw toError(toContractFault('NotLarger', [size, last]) as PaymentFailure);
        const entry: MemoryAnchor = { ...mine(), size, root };
        anchors.push(entry);
        return { ...entry, result: null };
      }),
    latest: () =>
      read(() => {
        const last = anchors.at(-1);
        return last === undefined ? undefined : { size: last.size, root: last.root };
      }),
    covering: (size) => read(() => anchors.find((each) => each.size >= size)),
  };
}

interface LogFeed {
  readonly readFrom: (block: number) => {
    readonly logs: readonly EscrowLog[];
    readonly upTo: number;
  };
  readonly follow: EscrowContract['subscribe'];
  readonly notifyFollowers: () => void;
  readonly hold: () => void;
  readonly confirm: () => void;
}

/** Creates a feed that passes logs to its followers in batches and retries a batch that fails. */
function createLogFeed({ ledger: { contracts }, isDown }: MemoryTrustDeps): LogFeed {
  const followers = new Set<() => Promise<void>>();
  let heldAt: number | undefined;
  const from: LogFeed['readFrom'] = (block) => {
    const upTo = heldAt ?? contracts.block;
    const logs = contracts.logs.filter((log) => log.block >= block && log.block <= upTo);
    return { logs, upTo };
  };
  const poke = () => {
    for (const deliverAll of followers) void deliverAll();
  };
  return {
    readFrom: from,
    notifyFollowers: poke,
    hold: () => {
      heldAt ??= contracts.block;
    },
    confirm: () => {
      heldAt = undefined;
      poke();
    },
    follow: (fromBlock, listener) => {
      let next = fromBlock;
      let isBusy = false;
      const deliverBatch = async (): Promise<boolean> => {
        const { logs, upTo } = from(next);
        if (logs.length === 0) return false;
        try {
          if (isDown()) throw new AppError('CHAIN_UNAVAILABLE');
          await listener(logs, upTo);
          next = upTo + 1;
        } catch {
          await sleep(RETRY_MS, undefined, { ref: false });
        }
        return true;
      };
      const pump = async () => {
        if (isBusy) return;
        isBusy = true;
        while (followers.has(pump) && (await deliverBatch()));
        isBusy = false;
      };
      followers.add(pump);
      void Promise.resolve().then(pump);
      return () => void followers.delete(pump);
    },
  };
}
