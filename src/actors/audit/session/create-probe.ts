import { createEvidence, truncateText } from '../../../domain/audit/evidence.ts';
import type { Evidence, Finding, ProbeRun } from '../../../domain/audit/records.ts';
import { type AppError, toAppError } from '../../../domain/common/error.ts';
import { sha256Hex } from '../../../domain/common/hash.ts';
import type { Observation, Probe, ProbeSession, Replay, Sighting } from './probe.ts';

/** Maximum number of findings per run; further ones would be repetitive. */
export const FINDINGS_MAX = 20;
/** Maximum number of named subjects per run, and of characters per subject. */
const SUBJECTS_MAX = 60;
const SUBJECT_CHARS_MAX = 100;
/** Maximum length of a title, which may name parts of the target. */
const TITLE_CHARS_MAX = 300;

/** The definition of a probe. */
export interface ProbePlan
  extends Pick<
    Probe,
    'probeId' | 'version' | 'plan' | 'category' | 'mode' | 'title' | 'requestsMax' | 'totalMs'
  > {
  /**
   * Checks the target.
   *
   * @param focus - In a replay: the only finding to look for.
   */
  look(session: ProbeSession, focus?: Focus): Promise<Observation>;
}

/** Requests reserved for closing the session and for the control. */
const RESERVE_REQUESTS = 5;

/**
 * Returns whether a probe may continue. It stops before its budget ends, so that its results are
 * kept.
 */
export function hasBudget(session: ProbeSession, requestsMax: number): boolean {
  const has = session.target.spent().requests + RESERVE_REQUESTS < requestsMax;
  if (!has) session.doubts.add('the request budget ended before everything was tested');
  return has;
}

/** The finding that a replay looks for. */
export type Focus = Pick<Finding, 'title' | 'tool'>;

/**
 * Creates a probe from a plan. An error from the target ends a run as `failed`, a spent budget or a
 * stop as `blocked`. A replay runs the check again and compares title and tool.
 */
export function createProbe(plan: ProbePlan): Probe {
  const { look, ...facts } = plan;
  return {
    ...facts,
    run: async (session) => {
      const before = session.target.spent().requests;
      const seen = await runLook(look, session);
      return {
        probeId: plan.probeId,
        probeVersion: plan.version,
        category: plan.category,
        mode: plan.mode,
        requests: session.target.spent().requests - before,
        ...createRunFields(plan, settleOutcome(seen, session)),
      };
    },
    replay: async (session, finding) => await replayFinding(look, session, finding),
  };
}

type EndedEarly = { readonly outcome: 'blocked' | 'failed'; readonly reason: string };

async function runLook(
  look: ProbePlan['look'],
  session: ProbeSession,
  focus?: Focus,
): Promise<Observation | EndedEarly> {
  try {
    return await look(session, focus);
  } catch (thrown) {
    const error = toAppError(thrown);
    return { outcome: isStop(error) ? 'blocked' : 'failed', reason: reasonOf(error) };
  }
}

async function replayFinding(
  look: ProbePlan['look'],
  session: ProbeSession,
  finding: Finding,
): Promise<Replay> {
  const { title, tool } = finding;
  const focus = { title, ...(tool === undefined ? {} : { tool }) };
  const seen = await runLook(look, session, focus);
  if (seen.outcome !== 'looked') {
    const evidence = notReproducedEvidence(finding, seen.reason);
    return { reproduced: false, looked: false, isInconclusive: false, evidence };
  }
  const same = seen.findings.find((one) => truncateTitle(one) === title && one.tool === tool);
  if (same !== undefined) {
    return { reproduced: true, looked: true, isInconclusive: false, evidence: same.evidence };
  }
  const doubt = session.doubts.describe();
  const said = doubt === undefined ? 'The fault was not reproduced.' : `Inconclusive: ${doubt}.`;
  const evidence = notReproducedEvidence(finding, said);
  return { reproduced: false, looked: true, isInconclusive: doubt !== undefined, evidence };
}

/**
 * Corrects the outcome: a run without any answered call failed, and a run with doubts is partial.
 */
function settleOutcome(seen: Observation | EndedEarly, { doubts, target }: ProbeSession) {
  if (seen.outcome === 'blocked' || seen.outcome === 'failed') return seen;
  const { answered, unanswered } = target.calls;
  const reason = [seen.reason, doubts.describe()].filter((one) => one !== undefined).join('; ');
  const hasFound = seen.outcome === 'looked' && seen.findings.length > 0;
  if (answered === 0 && unanswered > 0 && !hasFound)
    return { ...seen, outcome: 'failed', reason } as const;
  if (seen.outcome === 'not_applicable') {
    return doubts.describe() === undefined
      ? seen
      : ({ ...seen, outcome: 'blocked', reason } as const);
  }
  return reason === '' ? seen : { ...seen, reason };
}

function createRunFields(
  plan: ProbePlan,
  seen: ReturnType<typeof settleOutcome>,
): Pick<ProbeRun, 'outcome' | 'reason' | 'subjects' | 'findings' | 'trials'> {
  const trials = 'trials' in seen && seen.trials !== undefined ? { trials: [...seen.trials] } : {};
  if (seen.outcome !== 'looked') {
    return { outcome: seen.outcome, reason: seen.reason, subjects: [], findings: [], ...trials };
  }
  const findings = seen.findings.slice(0, FINDINGS_MAX).map((one) => createFinding(plan, one));
  return {
    outcome: findings.length > 0 ? 'found' : seen.reason === undefined ? 'clean' : 'partial',
    reason: seen.reason ?? null,
    subjects: [...new Set(seen.subjects)].slice(0, SUBJECTS_MAX).map(shortName),
    findings,
    ...trials,
  };
}

// The id identifies fault and place, so that a run repeated after a crash gives the same id.
function createFinding(plan: ProbePlan, sighting: Sighting): Finding {
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
    title: truncateTitle(sighting),
  };
}

function truncateTitle({ title }: Sighting): string {
  return truncateText(title, TITLE_CHARS_MAX);
}

function shortName(name: string): string {
  return truncateText(name, SUBJECT_CHARS_MAX);
}

function isStop({ code }: AppError): boolean {
  return code === 'AUDIT_BUDGET' || code === 'AUDIT_STOPPED';
}

function reasonOf(error: AppError): string {
  return `${error.code}: ${error.message}`.slice(0, 300);
}

function notReproducedEvidence(finding: Finding, why: string): Evidence {
  return createEvidence(finding.evidence.request, why);
}
