import type { ReportCategory } from '../../domain/audit/report.ts';
import { hashJson } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { canonicalJson, toJson } from '../../domain/common/json.ts';
import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { FindingSeverity } from '../../domain/vetting/lens.ts';
import type { Lens } from './lenses.ts';
import { emptyResult } from './lenses.ts';

/** Maximum age of an audit, in milliseconds; older ones say little about the current system. */
const AUDIT_MAX_AGE_MS = 180 * DAY_MS;

/**
 * Reports the security posture over ASI01 to ASI10 from the latest published audit of the origin.
 */
export const posture: Lens = async ({ origin }, { audits, clock }) => {
  if (origin === undefined) {
    return emptyResult('no_data', 'No origin was given, so nothing can be checked.');
  }
  const searched = [`audits of ${origin} published here`];
  const { rows } = await audits.list({ origin, limit: 20 });
  const latest = rows.find(({ status }) => status === 'published');
  if (latest === undefined) {
    const note = 'No audit of this origin is published here; order security_framework-audit.';
    return emptyResult('no_data', note, { searched });
  }
  const { payload, statement } = await audits.read(latest.audit_id);
  const { signer } = statement.signature;
  const source = createOwnSource(latest.report, toJson(payload), clock.now());
  const isOld = clock.now() - Date.parse(payload.ended_at) > AUDIT_MAX_AGE_MS;
  const looked = payload.categories.filter(({ verdict }) => verdict !== 'not_assessed');
  return {
    status: looked.length === 0 ? 'no_data' : looked.length < 10 || isOld ? 'partial' : 'ok',
    note: `Audit ${payload.audit_id} of ${payload.ended_at}, signed by ${signer}.`,
    findings: looked.map(({ category, name, verdict }) => ({
      rule: category,
      severity: SEVERITY[verdict],
      cited: [0],
      claim: `${category} ${name}: ${verdict}.`,
    })),
    figures: [],
    searched,
    sources: [source],
    faults: [],
  };
};

const SEVERITY: Readonly<Record<ReportCategory['verdict'], FindingSeverity>> = {
  pass: 'info',
  partial: 'low',
  not_assessed: 'info',
  fail: 'high',
};

/** Creates the source facts of a record of this server, hashed as canonical JSON. */
export function createOwnSource(path: string, record: JsonObject, at: number): UnnumberedSource {
  return {
    upstream: 'stoa',
    url: path,
    retrieved_at: toIsoTime(at),
    revalidated_at: null,
    sha256: hashJson(record),
    bytes: canonicalJson(record).length,
    http_status: null,
    from_cache: false,
  };
}
