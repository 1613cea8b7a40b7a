import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineSeal, sealProjector } from '../../actors/attestation/seal-definition.ts';
import { createPassportHolders } from '../../actors/audit/passport-holders.ts';
import { defineControl, startControls } from '../../actors/control/controls.ts';
import type { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import { createTreasuryBalances } from '../../actors/wallet/treasury-balances.ts';
import type { Config } from '../../config.ts';
import type { Erasable } from '../../domain/common/erasable.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { ControlRegistry } from '../../domain/control/controls.ts';
import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import { parseWitnessKeys } from '../../domain/proof/cosign.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import { createReputationReader } from '../../domain/reputation/read-model.ts';
import type { ReadReputation } from '../../domain/reputation/reputation.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import type { EngineSetup } from '../../runtime/engine/engine.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { openEscrowFollowStore } from '../../store/escrow/escrow-follow.ts';
import { openPaymentIds } from '../../store/payment/payment-ids.ts';
import type { EvidenceDeps } from '../../tools/reputation/check-evidence.ts';
import type { AttestationDeps } from '../../tools/service/commerce-tools.ts';
import { BoardRateLimiter } from '../../transport/a2a/board-rate-limiter.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import {
  type AlertDeps,
  healthChecks,
  isSolvent,
  openAlerts,
  type RunningAlerts,
} from '../alert/alerts.ts';
import { type OpenArbitrations, openArbitrations } from '../arbitration/arbitrations.ts';
import { attestationDeps } from '../attestation/attestations.ts';
import { type AuditDeps, type OpenAudits, openAudits } from '../audit/audits.ts';
import { openBoard, openWallets, rateLimitedWallets } from '../escrow/board.ts';
import { type OpenWork, openWork } from '../escrow/work.ts';
import type { OwnPassport } from '../passport/own-passport.ts';
import { openPassports, passportDefinitions } from '../passport/passports.ts';
import { openEvidence } from '../proof/evidence.ts';
import { verifyEd25519 } from '../proof/proof-keys.ts';
import { type OpenReputation, openReputation } from '../reputation/reputation.ts';
import type { Closers } from '../server/closers.ts';
import type { Stores } from '../server/stores.ts';

/** The dependencies of the trust services. */
export interface TrustDeps extends EngineSetup {
  readonly config: Config;
  readonly chain: NodePaymentChain;
  readonly clock: RuntimeClock;
  readonly store: Stores;
  readonly egress: EgressPort;
  /** Resolves with the public address of the server, once it is known. */
  readonly baseUrl: () => Promise<string>;
  /** Returns the origins of this server. Empty before it listens. */
  readonly origins: () => readonly string[];
  readonly payments: PaymentFlow;
  readonly llm: LlmPort;
  /** How alerts notify, and the sources that they read. */
  readonly alerts: Pick<
    AlertDeps,
    'notifier' | 'operator' | 'seal' | 'prices' | 'markets' | 'feeds'
  >;
  /** Hosts that are never audited: the server's own, the chain's and the LLMs'. */
  readonly denyHosts: readonly string[];
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The running identity, work, reputation, alert and control services. */
export interface Trust {
  readonly routes: readonly FrontRoute[];
  /** The projectors of their actors, for proofs and events. */
  readonly projectors: readonly Projector[];
  readonly controls: ControlRegistry;
  readonly board: WorkBoard;
  readonly alerting: RunningAlerts['tool'];
  /** The dependencies of the tools that examine an agent. */
  readonly evidence: OpenReputation['tools'];
  readonly attestation: AttestationDeps;
  readonly auditing: OpenAudits['auditing'];
  /** The dependencies of framework evidence checks. */
  readonly conforming: EvidenceDeps;
  /** Arbitrations, and the authentication of wallets that submit evidence. */
  readonly arbitrating: Pick<OpenArbitrations, 'arbitrations' | 'index'> & {
    readonly delegations: Delegations;
    readonly wallets: WalletAuth;
  };
  readonly ownPassport: OwnPassport;
  /** Audits published by this server, and track records. */
  readonly ownRecords: LocalRecords;
  /** Returns whether the escrow covers the open jobs. True while the chain does not respond. */
  isSolvent(): Promise<boolean>;
  /** Returns why a record has no anchor yet. */
  anchorReason(): string;
}

/** Opens the trust services on the engine. `closers` closes what it opens. */
export async function openTrust(parts: TrustDeps, closers: Closers): Promise<Trust> {
  const { engine, define, clock } = parts;
  define(defineControl(), defineSeal());
  const controls = await startControls({ engine, clock });
  const reputationOf = createReputationReader(parts.store.trust.events, nextTurn);
  const { chain, store, origins } = parts;
  const wallets = openWallets({ chain, trust: chain.trust, store: store.trust, clock, origins });
  const passports = await openTrustPassports(parts, wallets, reputationOf);
  const reputation = openReputation({
    ...parts,
    ...passports,
    reputationOf,
    labels: controls,
    events: parts.store.trust.events,
    proofs: parts.store.proofs.log,
    limitLocal: parts.config.limitLocal,
  });
  const evidence = openOwnEvidence(parts, [passports.erasable]);
  closers.add(evidence.stop);
  const { blobs } = store;
  const work = await openTrustWork(parts, passports.passports, controls);
  closers.add(work.stop);
  const { llm, notice } = parts;
  const { trust } = chain;
  const cases = await openArbitrations(parts, { llm, blobs, clock, notice, trust });
  const gate = new BoardRateLimiter(clock, parts.config.limitLocal);
  closers.add(cases.stop);
  const balances = createTreasuryBalances({ chain, trust: chain.trust, openJobs: work.openJobs });
  const { anchorNow, anchorReason } = evidence;
  const { log } = store.proofs;
  const audits = await openTrustAudits(parts, { log, anchorNow, anchorReason });
  closers.add(async () => audits.stop());
  const alerts = await startAlerts(parts, wallets, balances);
  closers.add(alerts.stop);
  return {
    routes: [
      ...[...reputation.routes, ...evidence.routes, ...passports.routes, ...alerts.routes],
      ...openBoardRoutes(parts, wallets, { ...work, arbitrations: cases.arbitrations, gate }),
      ...audits.routes,
    ],
    projectors: [
      sealProjector,
      ...[passports, work, audits, cases].flatMap((one) => one.projectors),
    ],
    controls,
    ownPassport: passports.own,
    ownRecords: { audits: audits.published, reputationOf },
    isSolvent: () => isSolvent(balances),
    board: work.board,
    alerting: alerts.tool,
    evidence: reputation.tools,
    auditing: {
      ...audits.auditing,
      ...(chain.trust.contracts.identity === null
        ? {}
        : { holders: createPassportHolders({ wallets, passports: passports.passports }) }),
    },
    conforming: {
      ...openIdentityEvidence(parts, passports),
      reputationOf,
      audits: audits.published,
    },
    arbitrating: {
      arbitrations: cases.arbitrations,
      index: cases.index,
      delegations: passports.delegations,
      wallets: rateLimitedWallets(wallets, gate),
    },
    attestation: openAttestation(parts, passports),
    anchorReason: evidence.anchorReason,
  };
}

function openTrustWork(
  parts: TrustDeps,
  passports: Awaited<ReturnType<typeof openTrustPassports>>['passports'],
  controls: ControlRegistry,
): Promise<OpenWork> {
  const { chain, clock, notice, store } = parts;
  return openWork(parts, {
    trust: chain.trust,
    chain,
    clock,
    notice,
    blobs: store.blobs,
    controls,
    passports,
    kept: openEscrowFollowStore(store.trust),
  });
}

function openTrustAudits(
  parts: TrustDeps,
  proofs: Pick<AuditDeps, 'log' | 'anchorNow' | 'anchorReason'>,
): Promise<OpenAudits> {
  const { chain, clock, config, denyHosts, store } = parts;
  return openAudits(parts, {
    ...proofs,
    dataDir: config.dataDir,
    settings: config.audits,
    denyHosts,
    trust: chain.trust,
    blobs: store.blobs,
    clock,
  });
}

function openAttestation(
  { config, engine, clock, store, chain }: TrustDeps,
  passports: Awaited<ReturnType<typeof openTrustPassports>>,
): AttestationDeps {
  return attestationDeps({
    dataDir: config.dataDir,
    engine,
    clock,
    ...passports,
    blobs: store.blobs,
    proofs: store.proofs.log,
    trust: chain.trust,
    chainId: chain.facts.chainId,
  });
}

/** What identity evidence is checked against. */
function openIdentityEvidence(
  { chain, clock, store }: TrustDeps,
  { passports, documents }: Awaited<ReturnType<typeof openTrustPassports>>,
) {
  return {
    chain: chain.trust,
    passports,
    clock,
    proofs: store.proofs.log,
    verifyEd25519,
    registrationOf: (name: string) => documents.registration(name),
  };
}

/** How often a log that has grown is anchored. More often on the local chain, which is free. */
const ANCHOR_EVERY_MS = { local: 10 * MINUTE_MS, others: 60 * MINUTE_MS } as const;

function openOwnEvidence(
  { config, chain, store, engine, clock, notice }: TrustDeps,
  erasables: readonly Erasable[],
) {
  const { chainId, isLocal } = chain.facts;
  return openEvidence({
    proofs: store.proofs,
    engine,
    trust: chain.trust,
    chainId,
    clock,
    notice,
    ids: openPaymentIds(store.trust),
    anchorEveryMs: config.anchorEveryMs ?? ANCHOR_EVERY_MS[isLocal ? 'local' : 'others'],
    witnesses: parseWitnessKeys(config.witnessKeys),
    erasables,
  });
}

function openBoardRoutes(
  parts: TrustDeps,
  wallets: WalletAuth,
  work: OpenWork & Pick<OpenArbitrations, 'arbitrations'> & { readonly gate: BoardRateLimiter },
) {
  const { chain, clock, config, notice } = parts;
  const { limitLocal, publicUrl } = config;
  return openBoard({
    wallets,
    chain,
    trust: chain.trust,
    clock,
    notice,
    limitLocal,
    publicUrl,
    board: work.board,
    openJobs: work.openJobs,
    arbitrations: work.arbitrations,
    proofs: parts.store.proofs.log,
    gate: work.gate,
  });
}

function openTrustPassports(parts: TrustDeps, wallets: WalletAuth, reputationOf: ReadReputation) {
  const { chain, clock, config, engine, notice, store, baseUrl } = parts;
  const { chainId, isLocal } = chain.facts;
  const { trust } = chain;
  parts.define(...passportDefinitions({ trust, store: store.trust, baseUrl }));
  return openPassports({
    trust,
    engine,
    chainId,
    clock,
    notice,
    baseUrl,
    reputationOf,
    origins: parts.origins,
    store: store.trust,
    isLocalChain: isLocal,
    wallets,
    proofs: store.proofs.log,
    passportId: config.passportId,
    hasPublicUrl: config.publicUrl !== undefined,
  });
}

type Balances = ReturnType<typeof createTreasuryBalances>;

function startAlerts(parts: TrustDeps, wallets: WalletAuth, balances: Balances) {
  const { alerts, chain, clock, config, notice, store } = parts;
  const checks = healthChecks({ chain, store, balances });
  const { events } = store.trust;
  const { limitLocal } = config;
  return openAlerts(parts, { ...alerts, clock, events, notice, wallets, limitLocal, checks });
}
