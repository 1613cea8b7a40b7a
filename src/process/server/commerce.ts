import { definePanels } from '../../actors/panel/panels.ts';
import { definePayment } from '../../actors/payment/definition.ts';
import { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/common/error.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import { createExchangePrices } from '../../providers/market/exchange-prices.ts';
import { createEgress } from '../../providers/net/egress.ts';
import type { NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import { createEngine } from '../../runtime/engine/engine.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { openEscrowFollowStore } from '../../store/escrow/escrow-follow.ts';
import { openPaymentIds } from '../../store/payment/payment-ids.ts';
import { createChallenger } from '../../tools/payment/challenge.ts';
import { commerceJobs, commerceResources, commerceTools } from '../../tools/service/catalog.ts';
import type { DataDeps } from '../../tools/service/commerce-tools.ts';
import { createToolService } from '../../tools/service/service.ts';
import { VERSION } from '../../version.ts';
import { prepareAlerts } from '../alert/alerts.ts';
import { prepareArbitrations } from '../arbitration/arbitrations.ts';
import { prepareAudits } from '../audit/audits.ts';
import { openTrust, type Trust, trustDefinitions } from '../chain/trust.ts';
import { type OtherUpstreams, openDataTools } from '../data/data-tools.ts';
import { prepareWork } from '../escrow/work.ts';
import type { Models } from '../llm/models.ts';
import { createDeferredRecords } from '../report/deferred-records.ts';
import { reportKinds } from '../report/report-kinds.ts';
import { prepareReports } from '../report/reports.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Closers } from './closers.ts';
import type { ServerEnvironment } from './environment.ts';
import type { ProcessMonitor } from './process-monitor.ts';
import type { PublicOrigin } from './public-origin.ts';
import type { Stores } from './stores.ts';
import { systemRandom } from './system.ts';

/** The dependencies of the commerce server. */
export interface CommerceDeps {
  readonly config: Config;
  readonly around: ServerEnvironment;
  readonly chain: NodePaymentChain;
  readonly llm: Models;
  readonly clock: RuntimeClock;
  readonly store: Stores;
  readonly notice: (line: string) => void;
  readonly telemetry: Telemetry;
  readonly origin: PublicOrigin;
  readonly fail: (error: AppError) => void;
  /** Actor kinds of hosting. Empty when nothing is hosted. */
  readonly hosting: readonly Definition[];
  /** Replaces the upstreams of the data tools. */
  readonly upstreams: OtherUpstreams | undefined;
  /** Notifies the operator about the process, if it is monitored. */
  readonly watch: ProcessMonitor | undefined;
}

/** The commerce server with its engine and trust services. */
export interface Commerce {
  readonly engine: ActorEngine;
  readonly commerce: ToolService;
  readonly trust: Trust;
}

/** Opens the engine, its actors, and the tools of the commerce server. */
export async function openCommerce(parts: CommerceDeps, closers: Closers): Promise<Commerce> {
  const { around, chain, llm, clock, store, notice, telemetry, fail } = parts;
  const { blobs } = store;
  const egress = openEgress(parts, closers);
  const data = openOwnData(parts, egress);
  const alerts = openOwnAlerts(parts, egress, data);
  parts.watch?.setNotifier((said) => alerts.operator.raise(said));
  const { own, ...reports } = prepareOwnReports(parts, data);
  const trustParts = { ...prepareTrust(parts), egress, alerts };
  const engine = await createEngine({
    store: store.engine,
    clock,
    definitions: around.definitions([
      definePayment({ chain }),
      ...definePanels({ llm, blobs }),
      reports.definition,
      // A test server has these kinds without their production effects.
      ...trustDefinitions(trustParts).filter(({ kind }) => !around.developmentKinds.includes(kind)),
      ...parts.hosting,
      ...around.developmentDefinitions,
    ]),
    observer: telemetry.observer,
    onNotice: (said) => {
      notice(`${said.kind} ${said.actorId}: ${said.message}`);
      alerts.operator.handleIncident(said);
    },
    onFatal: (cause) => fail(new AppError('INTERNAL', { message: cause.message, cause })),
  });
  closers.add(() => engine.close());
  const payments = openPayments(engine, parts);
  const trust = await openTrust({ ...trustParts, engine, payments }, closers);
  own.resolve(trust.ownRecords);
  const { reporting, routes, stop } = await reports.open(engine);
  closers.add(async () => stop());
  const commerce = createToolService({
    server: 'commerce',
    title: 'Stoa commerce',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: commerceTools({
      engine,
      blobs,
      clock,
      llm,
      egress,
      random: systemRandom,
      trust: chain.trust,
      alerting: trust.alerting,
      evidence: trust.evidence,
      auditing: trust.auditing,
      attestation: trust.attestation,
      data,
      reporting: { ...reporting, ownRecords: own },
      conforming: trust.conforming,
      arbitrating: trust.arbitrating,
    }),
    paid: { payments, challenger: createChallenger({ chain, clock, random: systemRandom }) },
    jobs: commerceJobs({ engine, blobs }),
    labels: trust.controls,
    resources: commerceResources({
      engine,
      blobs,
      alerting: trust.alerting,
      board: trust.board,
    }),
    onInternalError: (error, tool) => notice(`${tool}: ${stackOrMessage(error)}`),
  });
  return { engine, commerce, trust: { ...trust, routes: [...trust.routes, ...routes] } };
}

/** Prepares what the trust services start with, before the engine runs. */
function prepareTrust(parts: CommerceDeps) {
  const { chain, config, llm, clock, store, notice, origin } = parts;
  const { trust } = chain;
  return {
    config,
    chain,
    clock,
    store,
    notice,
    baseUrl: origin.known,
    origins: origin.own,
    audits: prepareOwnAudits(parts),
    arbitrations: prepareArbitrations({ llm, blobs: store.blobs, clock, notice, trust }),
    work: prepareWork({ trust, chain, clock, notice, kept: openEscrowFollowStore(store.trust) }),
  };
}

function openPayments(engine: ActorEngine, { chain, clock, store }: CommerceDeps): PaymentFlow {
  return new PaymentFlow({
    engine,
    chain,
    blobs: store.blobs,
    clock,
    random: systemRandom,
    ids: openPaymentIds(store.trust),
  });
}

function openOwnData(
  { chain, config, llm, clock, upstreams: others }: CommerceDeps,
  egress: EgressPort,
): DataDeps {
  return openDataTools({
    clock,
    trust: chain.trust,
    llm,
    egress,
    random: systemRandom,
    others,
    contact: config.operatorContact,
    hasCaptions: config.youtubeCaptions,
    companiesHouseKey: config.secret('STOA_COMPANIES_HOUSE_KEY'),
  });
}

function openOwnAlerts(
  { around, config, clock, store, notice }: CommerceDeps,
  egress: EgressPort,
  { quotes, markets, feeds }: DataDeps,
) {
  const { dataDir, notify: settings } = config;
  const { events } = store.trust;
  const prices = around.prices(createExchangePrices({ quotes, clock }));
  const sources = { prices, markets, feeds };
  return prepareAlerts({ dataDir, egress, clock, events, notice, settings, ...sources });
}

/** Returns the stack of the innermost cause, for the operator's log. */
export function stackOrMessage(error: AppError): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : error.message;
}

function openEgress(
  { config, around, chain, llm, upstreams }: CommerceDeps,
  closers: Closers,
): EgressPort {
  const contact = config.operatorContact ?? config.publicUrl ?? 'no contact configured';
  const ownEgress = createEgress({
    clock: systemClock(),
    userAgent: `stoa/${VERSION} (+${contact})`,
    // Replacement upstreams may run on this machine, whose addresses are otherwise denied.
    denyHosts: upstreams === undefined ? ownHosts({ config, chain, llm }) : [],
    allowHosts: upstreams?.hosts ?? [],
  });
  closers.add(() => ownEgress.close());
  return around.egress(ownEgress);
}

function prepareOwnReports({ chain, clock, store }: CommerceDeps, data: DataDeps) {
  const own = createDeferredRecords();
  const kinds = reportKinds(data, own);
  return { own, ...prepareReports({ kinds, blobs: store.blobs, trust: chain.trust, clock }) };
}

function prepareOwnAudits({ config, chain, clock, llm, store }: CommerceDeps) {
  const { dataDir, audits: settings } = config;
  const denyHosts = ownHosts({ config, chain, llm });
  return prepareAudits({
    dataDir,
    settings,
    denyHosts,
    trust: chain.trust,
    blobs: store.blobs,
    clock,
  });
}

/** Returns hosts that no caller may make the server call: its own, the chain's and the LLMs'. */
function ownHosts({ config, chain, llm }: Pick<CommerceDeps, 'config' | 'chain' | 'llm'>) {
  return [...llm.hosts, ...hostsOf(config.publicUrl, chain.facts.rpcUrl)];
}

function hostsOf(...urls: readonly (string | undefined)[]): readonly string[] {
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
}

const INSTRUCTIONS = [
  'This server sells decisions and checks to agents. Listing tools is free. An unpaid call of a',
  'priced tool returns an x402 challenge with price, fee and flow. Pay it and call again with the',
  'payment. A long job returns a job_id; read it with get_result, which is free.',
].join(' ');
