import { evidenceOf } from '../../../domain/audit/evidence.ts';
import { toAppError } from '../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  CORPUS_VERSION,
  INJECTION_CLASSES,
  InjectionClass,
  injectionsOf,
} from '../../../domain/injection/corpus.ts';
import type { Trial } from '../../../domain/injection/trial.ts';
import { type Focus, hasRoom, makeProbe } from '../session/make-probe.ts';
import type { Observation, Probe, ProbeSession, Sighting } from '../session/probe.ts';
import { type TextPlace, withTextPlaces } from './text-places.ts';
import { TAINTED, type Tried, tryBaseline, tryInjection } from './try-injection.ts';

/** Maximum number of requests per injection class: three places with each text and its control. */
export const CLASS_REQUESTS_MAX = 40;
/** Consecutive unanswered texts after which a place is skipped. */
const UNHEARD_MAX = 2;

/** One probe per injection class of the corpus. */
export const INJECTION_PROBES: readonly Probe[] = InjectionClass.options.map(injectionProbe);

function injectionProbe(name: InjectionClass): Probe {
  return makeProbe({
    probeId: `injection-${name.replaceAll('_', '-')}`,
    version: CORPUS_VERSION,
    plan: 'injection',
    category: 'ASI01',
    mode: 'active',
    title: INJECTION_CLASSES[name].title,
    requestsMax: CLASS_REQUESTS_MAX,
    totalMs: 4 * MINUTE_MS,
    look: (session, focus) =>
      withTextPlaces(session, focus, async (found) => {
        if ('reason' in found) return { outcome: 'not_applicable', reason: found.reason };
        return await lookAtAll(session, name, found.places, focus);
      }),
  });
}

async function lookAtAll(
  session: ProbeSession,
  name: InjectionClass,
  places: readonly TextPlace[],
  focus: Focus | undefined,
): Promise<Observation> {
  const trials: Trial[] = [];
  const findings: Sighting[] = [];
  const reasons: string[] = [];
  for (const place of places) {
    if (focus !== undefined && titleOf(name, place) !== focus.title) continue;
    const seen = await lookAt({ session, name, place, isReplay: focus !== undefined });
    trials.push(...seen.trials);
    findings.push(...seen.findings);
    if (seen.reason !== undefined) reasons.push(`${place.name}: ${seen.reason}`);
  }
  if (!trials.some(isTelling)) {
    const outcome = trials.every(isUntold) ? 'not_applicable' : 'failed';
    return { outcome, reason: reasons.join('; ') || 'the target answered no text', trials };
  }
  const subjects = places.map((place) => place.name);
  const reason = reasons.length === 0 ? undefined : reasons.join('; ');
  return { outcome: 'looked', subjects, findings, trials, reason };
}

function isTelling({ role, outcome }: Trial): boolean {
  return role === 'attack' && outcome !== 'not_assessed';
}

/** True for trials that were answered but prove nothing, because the place accepts no such text. */
function isUntold({ outcome, reason }: Trial): boolean {
  return outcome !== 'not_assessed' || reason === TAINTED;
}

interface Look {
  readonly session: ProbeSession;
  readonly name: InjectionClass;
  readonly place: TextPlace;
  /** A replay stops after one obeyed text. */
  readonly isReplay: boolean;
}

interface Seen {
  readonly trials: readonly Trial[];
  readonly findings: readonly Sighting[];
  readonly reason?: string;
}

async function lookAt(look: Look): Promise<Seen> {
  const trials: Trial[] = [];
  const findings: Sighting[] = [];
  try {
    const reason = await giveTexts(look, trials, findings);
    return { trials, findings, ...(reason === undefined ? {} : { reason }) };
  } catch (thrown) {
    // Return the completed trials, whatever ended the run.
    if (trials.length === 0 || look.session.signal.aborted) throw thrown;
    return { trials, findings, reason: toAppError(thrown).code };
  }
}

/**
 * Sends the texts of a class to one place, in order.
 *
 * @returns Why it stopped before the last text.
 */
async function giveTexts(
  look: Look,
  trials: Trial[],
  findings: Sighting[],
): Promise<string | undefined> {
  const { session, name, place, isReplay } = look;
  const first = await tryBaseline(session, name, place);
  trials.push(first.control);
  if (first.fault !== undefined) return first.fault;
  let unheard = 0;
  for (const injection of injectionsOf(name)) {
    if (!hasRoom(session, CLASS_REQUESTS_MAX)) return 'the request budget of this class is used up';
    const tried = await tryInjection(session, injection, place);
    trials.push(...tried.trials);
    const isObeyed = tried.attack.outcome === 'obeyed';
    if (isObeyed && findings.length === 0) findings.push(sighting(look, tried));
    if (isObeyed && isReplay) return undefined;
    unheard = tried.isHeard ? 0 : unheard + 1;
    if (unheard >= UNHEARD_MAX) return `${unheard} consecutive texts had no answer`;
  }
  return undefined;
}

function titleOf(name: InjectionClass, { name: place }: TextPlace): string {
  return `${INJECTION_CLASSES[name].title}: obeyed in ${place}`;
}

function sighting({ name, place }: Look, { attack, said, control }: Tried): Sighting {
  const { channel } = INJECTION_CLASSES[name];
  return {
    title: titleOf(name, place),
    severity: channel === 'indirect' ? 'high' : 'medium',
    status: 'unreproduced',
    ...(place.tool === undefined ? {} : { tool: place.tool }),
    evidence: evidenceOf(said.request, said.response),
    control: control === undefined ? null : evidenceOf(control.request, control.response),
    remediation:
      `The target obeyed ${attack.injection}. Keep incoming text separate from ` +
      'instructions: pass it to the model as marked data, allow no actions based on it, and ' +
      'check answers before you return them.',
  };
}
