import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineSeal, sealProjector } from '../../actors/attestation/seal-definition.ts';
import { createPassportHolders } from '../../actors/audit/passport-holders.ts';
import { defineControl, startControls } from '../../actors/control/controls.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import { createTreasuryBalances } from '../../actors/wallet/treasury-balances.ts';
import type { Config } from '../../config.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import type { ControlRegistry } from '../../domain/control/controls.ts';
import { createReputationReader } from '../../domain/reputation/read-model.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import { openEscrowFollowStore } from '../../store/escrow/escrow-follow.ts';
import { openPassportIndex } from '../../store/passport/passport-index.ts';
import { openFeedbackStore } from '../../store/reputation/feedback-store.ts';
import { openWalletNonces } from '../../store/wallet/wallet-nonces.ts';
import type { BoardReader } from '../../tools/escrow/board-resources.ts';
import { createChallenger } from '../../tools/payment/challenge.ts';
import { commerceJobs, commerceResources, commerceTools } from '../../tools/service/catalog.ts';
import type { CommerceServices } from '../../tools/service/commerce-tools.ts';
import { interceptCalls } from '../../tools/service/intercept-calls.ts';
import { selectTools } from '../../tools/service/select-tools.ts';
import { createToolService } from '../../tools/service/service.ts';
import { BoardRateLimiter } from '../../transport/a2a/board-rate-limiter.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { resultRoutes } from '../../transport/result/result-routes.ts';
import { VERSION } from '../../version.ts';
import { healthChecks, isSolvent, openAlerts } from '../alert/alerts.ts';
import { openArbitrations } from '../arbitration/arbitrations.ts';
import { attestationDeps } from '../attestation/attestations.ts';
import { openAudits } from '../audit/audits.ts';
import { openBoard, openWallets, rateLimitedWallets } from '../escrow/board.ts';
import { openWork } from '../escrow/work.ts';
import type { OwnPassport } from '../passport/own-passport.ts';
import { openPassports } from '../passport/passports.ts';
import { openEvidence } from '../proof/evidence.ts';
import { verifyEd25519 } from '../proof/proof-keys.ts';
import { reportKinds } from '../report/report-kinds.ts';
import { defineReports, openReports } from '../report/reports.ts';
import { openFeedback } from '../reputation/feedback.ts';
import { openReputation } from '../reputation/reputation.ts';
import { readResultPage } from './package-root.ts';
import type { ServerServices } from './services.ts';
import { stackOrMessage } from './startup-error.ts';

/** The services on which the subjects of the commerce server open. */
type EngineServices = Omit<
  ServerServices,
  'audits' | 'controls' | 'delegations' | 'passports' | 'reputationOf' | 'wallets'
>;

/** The commerce server. */
export interface Commerce {
  /** The tools that the operator offers. */
  readonly offered: ToolService;
  readonly routes: readonly FrontRoute[];
  /** The projectors of its actors, for proofs and events. */
  readonly projectors: readonly Projector[];
  readonly controls: ControlRegistry;
  readonly ownPassport: OwnPassport;
  /** Returns whether the escrow covers the open jobs. True while the chain does not respond. */
  isSolvent(): Promise<boolean>;
  /** Returns why a record has no anchor yet. */
  anchorReason(): string;
}

/** Opens the subjects of the commerce server, each with its actors, tools and routes. */
export async function openCommerce(base: EngineServices): Promise<Commerce> {
  const { clock, config, store } = base;
  const reputationOf = createReputationReader(base.events, nextTurn);
  base.define(defineControl(), defineSeal());
  const controls = await startControls(base);
  const nonces = openWalletNonces(store.trust);
  const wallets = openWallets(base, nonces);
  const known = { ...base, controls, reputationOf, wallets };
  const identity = await openPassports(known, openPassportIndex(store.trust));
  const { passports, delegations } = identity;
  const identified = { ...known, passports, delegations };
  const reputation = openReputation(identified, nonces);
  const feedback = openFeedback(identified, openFeedbackStore(store.trust));
  const evidence = openEvidence(identified, [identity.erasable]);
  const work = await openWork(identified, openEscrowFollowStore(store.trust));
  const cases = await openArbitrations(identified);
  const gate = new BoardRateLimiter(clock, config.limitLocal);
  const balances = createTreasuryBalances({ ...identified, ...work });
  const audits = await openAudits(identified, evidence);
  const alerts = await openAlerts(identified, healthChecks(identified, balances));
  const services = { ...identified, audits: audits.published };
  base.define(defineReports(services, reportKinds(services)));
  const reports = await openReports(services);
  const board = openBoard(services, { ...work, ...cases, gate, proofs: services.proofs });
  const tools: Omit<CommerceServices, keyof ServerServices> = {
    alerting: alerts.tool,
    evidence: services,
    auditing: { ...audits.auditing, ...openHolders(services) },
    attestation: attestationDeps(services),
    data: services,
    reporting: reports.reporting,
    conforming: {
      ...services,
      verifyEd25519,
      registrationOf: (name) => identity.documents.registration(name),
    },
    arbitrating: {
      ...cases,
      delegations,
      wallets: rateLimitedWallets(wallets, gate),
    },
  };
  const resultPage = readResultPage();
  const offered = openTools(services, { ...tools, resultPage }, work.board);
  const { jobs = commerceJobs(services) } = offered;
  const results = { routes: resultRoutes({ jobs, page: resultPage, clock }) };
  return {
    offered,
    routes: [
      ...[reputation, feedback, evidence, identity],
      ...[alerts, { routes: board }, audits, reports, results],
    ].flatMap(({ routes }) => routes),
    projectors: [
      sealProjector,
      ...[identity, work, audits, cases].flatMap(({ projectors }) => projectors),
    ],
    controls,
    ownPassport: identity.own,
    isSolvent: () => isSolvent(balances),
    anchorReason: evidence.anchorReason,
  };
}

/** Creates the tools and resources, and narrows them to those that the operator offers. */
function openTools(
  services: Omit<ServerServices, 'start'>,
  tools: Omit<CommerceServices, keyof ServerServices> & {
    readonly resultPage: string | undefined;
  },
  board: BoardReader,
): ToolService {
  const { config, notice, payments, telemetry } = services;
  const all = createToolService({
    server: 'commerce',
    title: 'Stoa commerce',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: commerceTools({ ...services, ...tools }),
    paid: { payments, challenger: createChallenger(services) },
    jobs: commerceJobs(services),
    labels: services.controls,
    origins: services.origins,
    resources: commerceResources({ ...services, ...tools, board }),
    onInternalError: (error, tool) => notice(`${tool}: ${stackOrMessage(error)}`),
  });
  return interceptCalls(selectOfferedTools(all, config), telemetry.interceptors);
}

/**
 * Returns the tools that the operator offers. A caller can only narrow them.
 *
 * @throws {AppError} `CONFIG_INVALID` when a toolset does not exist.
 */
function selectOfferedTools(commerce: ToolService, { toolsets, readOnly }: Config): ToolService {
  const wishes = { ...(toolsets === undefined ? {} : { toolsets }), isReadOnly: readOnly };
  try {
    return selectTools(commerce, wishes, () => 'the operator does not offer it');
  } catch (cause) {
    const { message, data } = toAppError(cause);
    throw new AppError('CONFIG_INVALID', { message: `--toolsets: ${message}`, data, cause });
  }
}

/** Verifies passport holders, if the chain has a registry. */
function openHolders(services: Pick<ServerServices, 'passports' | 'trust' | 'wallets'>) {
  if (services.trust.contracts.identity === null) return {};
  return { holders: createPassportHolders(services) };
}

const INSTRUCTIONS = [
  'This server sells decisions and checks to agents. Listing tools is free. An unpaid call of a',
  'priced tool returns an x402 challenge with price, fee and flow. Pay it and call again with the',
  'payment. A long job returns a job_id; read it with get_result, which is free.',
].join(' ');
