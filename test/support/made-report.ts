import { AUDIT_PLANS } from '../../src/domain/audit/plans.ts';
import { computePins } from '../../src/domain/audit/probe/pins.ts';
import { ASI_CATEGORIES, AsiCategory } from '../../src/domain/audit/records.ts';
import {
  AUDIT_STATEMENT,
  AuditReport,
  computeReportRoot,
  countConfirmed,
  countTrials,
  type ReportFinding,
  type ReportProbe,
} from '../../src/domain/audit/report.ts';
import type { TrustChain } from '../../src/domain/chain/trust-chain.ts';
import type { Trial } from '../../src/domain/injection/trial.ts';

/** What a made report says. */
export interface MadeReport {
  readonly origin: string;
  /** Outcomes of probes by name; all others are missing. */
  readonly probes?: Readonly<Record<string, ReportProbe['outcome']>>;
  /** Names of probes with one finding each. */
  readonly confirmed?: readonly string[];
  readonly unreproduced?: readonly string[];
  readonly trials?: readonly Trial[];
  readonly tools?: readonly { readonly name: string }[];
  /** RFC 3339. */
  readonly endedAt: string;
}

/** A report of an audit that did not take place, whole by all that can be checked of it. */
export function madeReport(made: MadeReport): AuditReport {
  const { origin, probes = {}, confirmed = [], unreproduced = [], trials, endedAt } = made;
  const tools = [...(made.tools ?? [])];
  const plan = trials === undefined ? 'framework' : 'injection';
  const rows: ReportProbe[] = Object.entries(probes).map(([name, outcome]) =>
    probeOf(name, outcome),
  );
  if (trials !== undefined) rows.push({ ...probeOf('corpus', 'clean'), trials: [...trials] });
  const findings = [
    ...confirmed.map((name) => findingOf(name, 'confirmed')),
    ...unreproduced.map((name) => findingOf(name, 'unreproduced')),
  ];
  const categories = AsiCategory.options.map((category) => ({
    category,
    name: ASI_CATEGORIES[category],
    verdict: 'not_assessed' as const,
    seat: 'S1',
    probes_run: [],
    probes_skipped: [],
    finding_ids: [],
  }));
  const shown = { findings, categories, probes: rows };
  const none = { prompts: [], resources: [], templates: [], card: null, greeting: null };
  return AuditReport.parse({
    v: 1,
    kind: 'ProofOfAuditReport',
    audit_id: `aud_${'1'.repeat(32)}`,
    plan,
    mode: 'rules_only',
    target: {
      address: { kind: 'mcp_http', url: `${origin}/mcp` },
      origin,
      pinned_address: null,
      server: null,
      protocol_version: null,
      tools: tools.length,
      is_cut: false,
    },
    target_pins: computePins({ tools, ...none }),
    scope: { mode: 'active', categories: ['ASI01'], requests_max: 10, deadline_s: 10 },
    consent: null,
    probe_set_version: 1,
    seats: AUDIT_PLANS[plan].seats,
    outcome: 'complete',
    reason: null,
    begun_at: endedAt,
    ended_at: endedAt,
    requests: 1,
    confirmed: countConfirmed(findings),
    ...shown,
    ...(trials === undefined ? {} : { injection: countTrials(rows) }),
    limits: [],
    root: computeReportRoot(shown),
  });
}

/** Signs a report as the service does. */
export function signedReport(report: AuditReport, chain: Pick<TrustChain, 'signStatement'>) {
  const payload = JSON.parse(JSON.stringify(report));
  const issuedAt = Date.parse(report.ended_at);
  return { payload, statement: chain.signStatement({ kind: AUDIT_STATEMENT, payload, issuedAt }) };
}

function probeOf(probe_id: string, outcome: ReportProbe['outcome']): ReportProbe {
  const facts = { probe_version: 1, category: 'ASI01', mode: 'active' } as const;
  return { probe_id, ...facts, outcome, reason: null, requests: 1, subjects: [] };
}

function findingOf(probe_id: string, status: ReportFinding['status']): ReportFinding {
  return {
    finding_id: `f-${probe_id}`,
    category: 'ASI01',
    probe_id,
    probe_version: 1,
    status,
    title: `fault of ${probe_id}`,
    severity: 'high',
    tool: null,
    control: null,
    evidence: { request: '', response: '', sha256: '' },
    reproduced_by: 'S2',
    replay: null,
    remediation: '',
  };
}
