import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { defineAudit } from '../../actors/audit/audit.ts';
import { AuditIndex } from '../../actors/audit/audit-index.ts';
import { createAuditProjector } from '../../actors/audit/audit-projector.ts';
import { INJECTION_PROBES } from '../../actors/audit/injection/injection-probes.ts';
import { PROBE_SET_VERSION, PROBES } from '../../actors/audit/probes/probes.ts';
import { createPublishedAudits } from '../../actors/audit/published-audits.ts';
import { createReportAnchors, type ReportLogDeps } from '../../actors/audit/report-log.ts';
import { createControlCheck } from '../../actors/audit/session/control-check.ts';
import { createNonces } from '../../actors/audit/session/nonces.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { PublishedAudits } from '../../domain/audit/published-audits.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { AuditSettings } from '../../providers/target/audit-settings.ts';
import { createAuditTargets } from '../../providers/target/audit-targets.ts';
import type { EngineSetup } from '../../runtime/engine/engine.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { AuditToolDeps } from '../../tools/audit/audit-tool.ts';
import { auditRoutes } from '../../transport/audit/audit-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { VERSION } from '../../version.ts';
import { systemRandom } from '../server/system.ts';
import { openToken } from '../server/token-file.ts';

/** The dependencies of audits. */
export interface AuditDeps extends Omit<ReportLogDeps, 'clock'> {
  readonly dataDir: string;
  readonly settings: AuditSettings;
  /** Hosts that are never audited: the server's own, the chain's and the LLMs'. */
  readonly denyHosts: readonly string[];
  readonly trust: Pick<TrustChain, 'signStatement'>;
  readonly blobs: BlobStore;
  /** The clock of the actors. */
  readonly clock: Clock;
}

/** The running audit service. */
export interface OpenAudits {
  readonly routes: readonly FrontRoute[];
  readonly projectors: readonly Projector[];
  /** The dependencies of the audit tools. */
  readonly auditing: AuditToolDeps;
  /** The published reports. */
  readonly published: PublishedAudits;
  stop(): void;
}

/** Opens audits: target access, probes and signing. */
export async function openAudits(
  { engine, define }: EngineSetup,
  parts: AuditDeps,
): Promise<OpenAudits> {
  const { dataDir, settings, denyHosts, trust, blobs, clock } = parts;
  const { log, anchorNow, anchorReason } = parts;
  const targets = createAuditTargets({ ...settings, denyHosts, owner: resolve(dataDir) });
  const control = createControlCheck({ targets, clock });
  // The log is written and anchored on real time.
  const proofs = { log, anchorNow, anchorReason, clock: systemClock() };
  const probes = [...PROBES, ...INJECTION_PROBES];
  const shared = { targets, probes, control, blobs, clock };
  define(defineAudit({ ...shared, trust, anchors: createReportAnchors(proofs) }));
  const index = await AuditIndex.start(engine);
  const key = openToken(dataDir).keyFor('stoa audit nonce v1');
  const mac = (text: string): string => createHmac('sha256', key).update(text).digest('hex');
  const nonces = createNonces({ mac, random: systemRandom, clock });
  const audits = createPublishedAudits({ engine, blobs, index, targets, proofs });
  return {
    routes: auditRoutes({ audits, clock, version: VERSION }),
    projectors: [createAuditProjector({ blobs })],
    published: audits,
    auditing: {
      ...shared,
      engine,
      index,
      nonces,
      random: systemRandom,
      probeSetVersion: PROBE_SET_VERSION,
    },
    stop: () => index.close(),
  };
}
