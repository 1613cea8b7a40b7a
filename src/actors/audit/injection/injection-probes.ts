import { createEvidence } from '../../../domain/audit/evidence.ts';
import { toAppError } from '../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { CORPUS_VERSION, listInjections } from '../../../domain/injection/corpus.ts';
import { INJECTION_CLASSES, InjectionClass } from '../../../domain/injection/injection.ts';
import type { Trial } from '../../../domain/injection/trial.ts';
import { createProbe, type Focus, hasBudget } from '../session/create-probe.ts';
import type { Observation, Probe, ProbeSession, Sighting } from '../session/probe.ts';
import { type TextPlace, withTextPlaces } from './text-places.ts';
import {
  CONTROL_SHOWED_SIGN,
  type InjectionResult,
  tryBaseline,
  tryInjection,
} from './try-injection.ts';

/** Maximum number of requests per injection class: three places with each text and its control. */
export const CLASS_REQUESTS_MAX = 40;
/** Consecutive unanswered texts after which a place is skipped. */
const UNANSWERED_MAX = 2;

/** One probe per injection class of the corpus. */
export const INJECTION_PROBES: readonly Probe[] = InjectionClass.options.map(createInjectionProbe);

function createInjectionProbe(name: InjectionClass): Probe {
  return createProbe({
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
        return await testPlaces(session, name, found.places, focus);
      }),
  });
}

async function testPlaces(
  session: ProbeSession,
  name: InjectionClass,
  places: readonly TextPlace[],
  focus: Focus | undefined,
): Promise<Observation> {
  const trials: Trial[] = [];
  const findings: Sighting[] = [];
  const reasons: string[] = [];
  for (const place of places) {
    if (focus !== undefined && findingTitle(name, place) !== focus.title) continue;
    const seen = await testPlace({ session, name, place, isReplay: focus !== undefined });
    trials.push(...seen.trials);
    findings.push(...seen.findings);
    if (seen.reason !== undefined) reasons.push(`${place.name}: ${seen.reason}`);
  }
  if (!trials.some(isConclusive)) {
    const outcome = trials.every(isInconclusive) ? 'not_applicable' : 'failed';
    return { outcome, reason: reasons.join('; ') || 'the target answered no text', trials };
  }
  const subjects = places.map((place) => place.name);
  const reason = reasons.length === 0 ? undefined : reasons.join('; ');
  return { outcome: 'looked', subjects, findings, trials, reason };
}

function isConclusive({ role, outcome }: Trial): boolean {
  return role === 'attack' && outcome !== 'not_assessed';
}

/** True for trials that were answered but prove nothing, because the place accepts no such text. */
function isInconclusive({ outcome, reason }: Trial): boolean {
  return outcome !== 'not_assessed' || reason === CONTROL_SHOWED_SIGN;
}

interface PlaceTest {
  readonly session: ProbeSession;
  readonly name: InjectionClass;
  readonly place: TextPlace;
  /** A replay stops after one obeyed text. */
  readonly isReplay: boolean;
}

interface PlaceResult {
  readonly trials: readonly Trial[];
  readonly findings: readonly Sighting[];
  readonly reason?: string;
}

async function testPlace(look: PlaceTest): Promise<PlaceResult> {
  const trials: Trial[] = [];
  const findings: Sighting[] = [];
  try {
    const reason = await sendTexts(look, trials, findings);
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
async function sendTexts(
  look: PlaceTest,
  trials: Trial[],
  findings: Sighting[],
): Promise<string | undefined> {
  const { session, name, place, isReplay } = look;
  const first = await tryBaseline(session, name, place);
  trials.push(first.control);
  if (first.fault !== undefined) return first.fault;
  let unheard = 0;
  for (const injection of listInjections(name)) {
    if (!hasBudget(session, CLASS_REQUESTS_MAX))
      return 'the request budget of this class is used up';
    const tried = await tryInjection(session, injection, place);
    trials.push(...tried.trials);
    const isObeyed = tried.attack.outcome === 'obeyed';
    if (isObeyed && findings.length === 0) findings.push(createSighting(look, tried));
    if (isObeyed && isReplay) return undefined;
    unheard = tried.isAnswered ? 0 : unheard + 1;
    if (unheard >= UNANSWERED_MAX) return `${unheard} consecutive texts had no answer`;
  }
  return undefined;
}

function findingTitle(name: InjectionClass, { name: place }: TextPlace): string {
  return `${INJECTION_CLASSES[name].title}: obeyed in ${place}`;
}

function createSighting(
  { name, place }: PlaceTest,
  { attack, said, control }: InjectionResult,
): Sighting {
  const { channel } = INJECTION_CLASSES[name];
  return {
    title: findingTitle(name, place),
    severity: channel === 'indirect' ? 'high' : 'medium',
    status: 'unreproduced',
    ...(place.tool === undefined ? {} : { tool: place.tool }),
    evidence: createEvidence(said.request, said.response),
    control: control === undefined ? null : createEvidence(control.request, control.response),
    remediation:
      `The target obeyed ${attack.injection}. Keep incoming text separate from ` +
      'instructions: pass it to the model as marked data, allow no actions based on it, and ' +
      'check answers before you return them.',
  };
}
