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
import { type EngineSetup, openEngine } from '../../runtime/engine/engine.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { openPaymentIds } from '../../store/payment/payment-ids.ts';
import { createChallenger } from '../../tools/payment/challenge.ts';
import { commerceJobs, commerceResources, commerceTools } from '../../tools/service/catalog.ts';
import type { DataDeps } from '../../tools/service/commerce-tools.ts';
import { createToolService } from '../../tools/service/service.ts';
import { VERSION } from '../../version.ts';
import { createNotifications, type Notifications } from '../alert/alerts.ts';
import { openTrust, type Trust } from '../chain/trust.ts';
import { type OtherUpstreams, openDataTools } from '../data/data-tools.ts';
import type { Models } from '../llm/models.ts';
import { reportKinds } from '../report/report-kinds.ts';
import { defineReports, openReports } from '../report/reports.ts';
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
  /** Replaces the upstreams of the data tools. */
  readonly upstreams: OtherUpstreams | undefined;
  /** Notifies the operator about the process, if it is monitored. */
  readonly watch: ProcessMonitor | undefined;
}

/** The commerce server with its engine and trust services. */
export interface Commerce extends EngineSetup {
  /** Resumes what the last process left. Call it once all kinds are defined. */
  start(): void;
  readonly commerce: ToolService;
  readonly trust: Trust;
}

/** Opens the engine, its actors, and the tools of the commerce server. */
export async function openCommerce(parts: CommerceDeps, closers: Closers): Promise<Commerce> {
  const { around, chain, llm, clock, config, store, notice } = parts;
  const { blobs } = store;
  const egress = openEgress(parts, closers);
  const data = openOwnData(parts, egress);
  const { dataDir, notify: settings } = config;
  const notifications = createNotifications({ dataDir, egress, clock, notice, settings });
  parts.watch?.setNotifier((said) => notifications.operator.raise(said));
  const { engine, define, start } = openOwnEngine(parts, notifications);
  closers.add(() => engine.close());
  define(definePayment({ chain }), ...definePanels({ llm, blobs }));
  const payments = openPayments(engine, parts);
  const prices = around.prices(createExchangePrices({ quotes: data.quotes, clock }));
  const { markets, feeds } = data;
  const trust = await openTrust(
    {
      ...parts,
      engine,
      define,
      payments,
      egress,
      baseUrl: parts.origin.known,
      origins: parts.origin.own,
      alerts: { ...notifications, prices, markets, feeds },
      denyHosts: ownHosts({ config, chain, llm }),
    },
    closers,
  );
  const { ownRecords } = trust;
  const kinds = reportKinds(data, ownRecords);
  define(defineReports({ kinds, blobs, trust: chain.trust, clock }));
  const { reporting, routes, stop } = await openReports(engine, { blobs, clock });
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
      reporting: { ...reporting, ownRecords },
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
  const routed = { ...trust, routes: [...trust.routes, ...routes] };
  return { engine, define, start, commerce, trust: routed };
}

/** Opens the engine with the kinds of a test server. Production kinds of theirs are left out. */
function openOwnEngine(
  { around, clock, fail, notice, store, telemetry }: CommerceDeps,
  { operator }: Notifications,
) {
  const opened = openEngine({
    store: store.engine,
    clock,
    definitions: around.definitions(around.developmentDefinitions),
    observer: telemetry.observer,
    onNotice: (said) => {
      notice(`${said.kind} ${said.actorId}: ${said.message}`);
      operator.handleIncident(said);
    },
    onFatal: (cause) => fail(new AppError('INTERNAL', { message: cause.message, cause })),
  });
  const define = (...kinds: readonly Definition[]): void => {
    const own = kinds.filter(({ kind }) => !around.developmentKinds.includes(kind));
    opened.define(...around.definitions(own));
  };
  return { ...opened, define };
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
