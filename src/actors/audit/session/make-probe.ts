import { cutText, evidenceOf } from '../../../domain/audit/evidence.ts';
import type { Evidence, Finding, ProbeRun } from '../../../domain/audit/records.ts';
import { type AppError, toAppError } from '../../../domain/common/error.ts';
import { sha256Hex } from '../../../domain/common/hash.ts';
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
  const has = session.target.spent().requests + RESERVE_REQUESTS < requestsMax;
  if (!has) session.doubts.note('its requests were used up before all was tried');
  return has;
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
        ...worded(plan, settled(seen, session)),
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
  if (seen.outcome !== 'looked') {
    const evidence = unseen(finding, seen.reason);
    return { reproduced: false, looked: false, isInconclusive: false, evidence };
  }
  const same = seen.findings.find((one) => titleOf(one) === title && one.tool === tool);
  if (same !== undefined) {
    return { reproduced: true, looked: true, isInconclusive: false, evidence: same.evidence };
  }
  const doubt = session.doubts.inWords();
  const said = doubt === undefined ? 'The fault was not seen again.' : `Not settled: ${doubt}.`;
  const evidence = unseen(finding, said);
  return { reproduced: false, looked: true, isInconclusive: doubt !== undefined, evidence };
}

/** A look is told as what it was: one that no call answered failed, one with doubts is partial. */
function settled(seen: Observation | Ended, { doubts, target }: ProbeSession) {
  if (seen.outcome === 'blocked' || seen.outcome === 'failed') return seen;
  const { answered, unanswered } = target.calls;
  const reason = [seen.reason, doubts.inWords()].filter((one) => one !== undefined).join('; ');
  const hasFound = seen.outcome === 'looked' && seen.findings.length > 0;
  if (answered === 0 && unanswered > 0 && !hasFound)
    return { ...seen, outcome: 'failed', reason } as const;
  if (seen.outcome === 'not_applicable') {
    return doubts.inWords() === undefined
      ? seen
      : ({ ...seen, outcome: 'blocked', reason } as const);
  }
  return reason === '' ? seen : { ...seen, reason };
}

function worded(
  plan: ProbePlan,
  seen: ReturnType<typeof settled>,
): Pick<ProbeRun, 'outcome' | 'reason' | 'subjects' | 'findings' | 'trials'> {
  const trials = 'trials' in seen && seen.trials !== undefined ? { trials: [...seen.trials] } : {};
  if (seen.outcome !== 'looked') {
    return { outcome: seen.outcome, reason: seen.reason, subjects: [], findings: [], ...trials };
  }
  const findings = seen.findings.slice(0, FINDINGS_MAX).map((one) => findingOf(plan, one));
  return {
    outcome: findings.length > 0 ? 'found' : seen.reason === undefined ? 'clean' : 'partial',
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
