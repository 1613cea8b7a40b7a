import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { defineAudit } from '../../actors/audit/audit.ts';
import { AuditIndex } from '../../actors/audit/audit-index.ts';
import { createAuditProjector } from '../../actors/audit/audit-projector.ts';
import { INJECTION_PROBES } from '../../actors/audit/injection/injection-probes.ts';
import { PROBE_SET_VERSION, PROBES } from '../../actors/audit/probes/probes.ts';
import { createPublishedAudits } from '../../actors/audit/published-audits.ts';
import { createReportAnchors } from '../../actors/audit/report-log.ts';
import { createControlCheck } from '../../actors/audit/session/control-check.ts';
import { createNonces } from '../../actors/audit/session/nonces.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { PublishedAudits } from '../../domain/audit/published-audits.ts';
import { createAuditTargets } from '../../providers/target/audit-targets.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { AuditToolDeps } from '../../tools/audit/audit-tool.ts';
import { auditRoutes } from '../../transport/audit/audit-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { VERSION } from '../../version.ts';
import { ownHosts } from '../net/egress.ts';
import type { Evidence } from '../proof/evidence.ts';
import type { ServerServices } from '../server/services.ts';

/** The running audit service. */
export interface OpenAudits {
  readonly routes: readonly FrontRoute[];
  readonly projectors: readonly Projector[];
  /** The dependencies of the audit tools. */
  readonly auditing: AuditToolDeps;
  /** The published reports. */
  readonly published: PublishedAudits;
}

/** Opens audits: target access, probes and signing. */
export async function openAudits(
  services: Pick<
    ServerServices,
    | 'blobs'
    | 'chain'
    | 'clock'
    | 'closers'
    | 'config'
    | 'define'
    | 'engine'
    | 'llm'
    | 'proofs'
    | 'random'
    | 'token'
    | 'trust'
  >,
  { anchorNow, anchorReason }: Pick<Evidence, 'anchorNow' | 'anchorReason'>,
): Promise<OpenAudits> {
  const { blobs, clock, config, engine, proofs: log, random } = services;
  const targets = createAuditTargets({
    ...config.audits,
    denyHosts: ownHosts(services),
    owner: resolve(config.dataDir),
  });
  const control = createControlCheck({ targets, clock });
  // The log is written and anchored on real time.
  const proofs = { log, anchorNow, anchorReason, clock: systemClock() };
  const probes = [...PROBES, ...INJECTION_PROBES];
  const audited = { ...services, targets, probes, control };
  services.define(defineAudit({ ...audited, anchors: createReportAnchors(proofs) }));
  const index = await AuditIndex.start(engine);
  services.closers.add(async () => index.close());
  const key = services.token.keyFor('stoa audit nonce v1');
  const mac = (text: string): string => createHmac('sha256', key).update(text).digest('hex');
  const nonces = createNonces({ mac, random, clock });
  const audits = createPublishedAudits({ engine, blobs, index, targets, proofs });
  return {
    routes: auditRoutes({ audits, clock, version: VERSION }),
    projectors: [createAuditProjector({ blobs })],
    published: audits,
    auditing: { ...audited, index, nonces, probeSetVersion: PROBE_SET_VERSION },
  };
}
