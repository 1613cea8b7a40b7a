import { cutText, evidenceOf } from '../../domain/audit/evidence.ts';
import type { Evidence, Finding, ProbeRun } from '../../domain/audit/records.ts';
import { type AppError, toAppError } from '../../domain/error.ts';
import { sha256Hex } from '../../domain/hash.ts';
import type { Observation, Probe, ProbeSession, Replay, Sighting } from './probe.ts';

/** Findings of one run that are kept; the rest would say the same again. */
export const FINDINGS_MAX = 20;
/** Subjects of one run that are named, and characters of one. */
const SUBJECTS_MAX = 60;
const SUBJECT_CHARS_MAX = 100;
/** Characters of a title, which may name places of the target. */
const TITLE_CHARS_MAX = 300;

/** A probe as its file writes it. */
export interface ProbePlan
  extends Pick<
    Probe,
    'probeId' | 'version' | 'plan' | 'category' | 'mode' | 'title' | 'requestsMax' | 'totalMs'
  > {
  /**
   * Looks at the target.
   *
   * @param focus - In a replay: the finding that is looked for again. Only that is needed then.
   */
  look(session: ProbeSession, focus?: Focus): Promise<Observation>;
}

/** Requests that a probe keeps for its farewell and its control. */
const RESERVE_REQUESTS = 5;

/**
 * True while a probe may go on: it stops by itself before its budget ends it, so that what it has
 * seen is told.
 */
export function hasRoom(session: ProbeSession, requestsMax: number): boolean {
  return session.target.spent().requests + RESERVE_REQUESTS < requestsMax;
}

/** What a replay looks for again. */
export type Focus = Pick<Finding, 'title' | 'tool'>;

/**
 * Makes a probe of a plan: the run is counted and worded, what the target throws at it ends it as
 * `failed`, a spent budget or a stop as `blocked`; a replay looks again and asks whether it sees
 * the same fault of the same tool.
 */
export function makeProbe(plan: ProbePlan): Probe {
  const { look, ...facts } = plan;
  return {
    ...facts,
    run: async (session) => {
      const before = session.target.spent().requests;
      const seen = await observe(look, session);
      return {
        probeId: plan.probeId,
        probeVersion: plan.version,
        category: plan.category,
        mode: plan.mode,
        requests: session.target.spent().requests - before,
        ...worded(plan, seen),
      };
    },
    replay: async (session, finding) => await lookAgain(look, session, finding),
  };
}

type Ended = { readonly outcome: 'blocked' | 'failed'; readonly reason: string };

async function observe(
  look: ProbePlan['look'],
  session: ProbeSession,
  focus?: Focus,
): Promise<Observation | Ended> {
  try {
    return await look(session, focus);
  } catch (thrown) {
    const error = toAppError(thrown);
    return { outcome: isStop(error) ? 'blocked' : 'failed', reason: reasonOf(error) };
  }
}

async function lookAgain(
  look: ProbePlan['look'],
  session: ProbeSession,
  finding: Finding,
): Promise<Replay> {
  const { title, tool } = finding;
  const focus = { title, ...(tool === undefined ? {} : { tool }) };
  const seen = await observe(look, session, focus);
  if (seen.outcome === 'looked') {
    const same = seen.findings.find((one) => titleOf(one) === title && one.tool === tool);
    if (same !== undefined) return { reproduced: true, looked: true, evidence: same.evidence };
    const evidence = unseen(finding, 'The fault was not seen again.');
    return { reproduced: false, looked: true, evidence };
  }
  return { reproduced: false, looked: false, evidence: unseen(finding, seen.reason) };
}

function worded(
  plan: ProbePlan,
  seen: Observation | Ended,
): Pick<ProbeRun, 'outcome' | 'reason' | 'subjects' | 'findings' | 'trials'> {
  const trials = 'trials' in seen && seen.trials !== undefined ? { trials: [...seen.trials] } : {};
  if (seen.outcome !== 'looked') {
    return { outcome: seen.outcome, reason: seen.reason, subjects: [], findings: [], ...trials };
  }
  const findings = seen.findings.slice(0, FINDINGS_MAX).map((one) => findingOf(plan, one));
  return {
    outcome: findings.length > 0 ? 'found' : 'clean',
    reason: seen.reason ?? null,
    subjects: [...new Set(seen.subjects)].slice(0, SUBJECTS_MAX).map(shortName),
    findings,
    ...trials,
  };
}

// The id says what was found where, so that a run repeated after a crash finds the same.
function findingOf(plan: ProbePlan, sighting: Sighting): Finding {
  const { probeId, version, category } = plan;
  const place = `${probeId}/${sighting.tool ?? ''}/${sighting.title}`;
  return {
    findingId: `${category}-${sha256Hex(place).slice(0, 12)}`,
    category,
    probeId,
    probeVersion: version,
    reproducedBy: null,
    replay: null,
    ...sighting,
    title: titleOf(sighting),
  };
}

function titleOf({ title }: Sighting): string {
  return cutText(title, TITLE_CHARS_MAX);
}

function shortName(name: string): string {
  return cutText(name, SUBJECT_CHARS_MAX);
}

function isStop({ code }: AppError): boolean {
  return code === 'AUDIT_BUDGET' || code === 'AUDIT_STOPPED';
}

function reasonOf(error: AppError): string {
  return `${error.code}: ${error.message}`.slice(0, 300);
}

function unseen(finding: Finding, why: string): Evidence {
  return evidenceOf(finding.evidence.request, why);
}
