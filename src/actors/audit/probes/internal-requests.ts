import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import { isSuccess, resultText } from '../../../domain/audit/probe/tool-result.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { type Aim, createAimedArguments, findAims } from '../session/aims.ts';
import { callableTools, callTool } from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type AimDeps, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 60;
const AIMS_MAX = 4;
const WORDS = {
  field: joinPattern(
    'i',
    'ur[il]|link|address|endpoint|host|webhook|callback|feed|source|image|site|',
    'page|domain|target|location',
  ),
  tool: joinPattern(
    'i',
    'fetch|download|crawl|scrape|request|http|web|url|link|feed|preview|',
    'screenshot|import|image|ping|monitor|website|page',
  ),
};
/** Errors of failed connection attempts; an address check never returns them. */
const CONNECTION_ERRORS = joinPattern(
  'i',
  'ECONNREFUSED|connection refused|connect(ion)? (failed|error)|ECONNRESET|',
  'fetch failed|EHOSTUNREACH|ENETUNREACH|socket hang up|connect ETIMEDOUT',
);
const REJECTION_WORDS = joinPattern(
  'i',
  'not allowed|forbidden|blocked|private|internal|loopback|denied|refus(ed|',
  'es) to|may not|not permitted|disallowed|public',
);

const NOT_TRIED = 'the tool is not clearly read-only, so no other host was tested';

/** Detects server-side request forgery: addresses in calls that are followed to internal hosts. */
export const internalRequests = createProbe({
  probeId: 'internal-requests',
  version: 1,
  category: 'ASI02',
  mode: 'active',
  title: 'Addresses in calls are followed to internal hosts',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = findAims(callableTools(session, focus), WORDS, AIMS_MAX).filter(
      ({ rank }) => rank > 1,
    );
    const reason = 'no callable tool accepts an address';
    return await tryAims(session, aims, {
      requestsMax: REQUESTS_MAX,
      focus,
      reason,
      tryOne: tryInside,
    });
  },
});

async function tryInside(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  return (await testListener(means, one)) ?? (await testAnswers(means, one));
}

/** Tests whether the target requests our own loopback listener, in several spellings. */
async function testListener(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  const { listener } = means.session;
  if (listener === undefined) return undefined;
  const label = means.session.canary(`follow-${one.tool.name}-${one.slot.path.join('.')}`);
  const address = new URL(listener.url(label));
  const spellings = ['127.0.0.1', 'localhost', '2130706433', '0x7f000001', '[::ffff:127.0.0.1]'];
  const texts = [
    ...spellings.map((host) => `http://${host}:${address.port}${address.pathname}`),
    listener.redirect(label),
  ];
  for (const text of allowedTexts(means, one, texts)) {
    if (!hasBudget(means.session, REQUESTS_MAX)) return undefined;
    const before = listener.countHits(label);
    const outcome = await send(means, one, text);
    if (listener.countHits(label) === before) continue;
    const control = await send(means, one, `http://${means.session.canary('host')}.invalid/`);
    return createSighting(one, outcome, control);
  }
  return undefined;
}

/** Tests whether the answer reveals an internal connection or attempt. */
async function testAnswers(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  const control = await send(means, one, `http://${means.session.canary('host')}.invalid/`);
  const controlText = resultText(control);
  const targets = [
    'http://127.0.0.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:1/',
    'http://10.0.0.1:1/',
    'http://[::1]:1/',
  ];
  for (const text of allowedTexts(means, one, targets)) {
    if (!hasBudget(means.session, REQUESTS_MAX)) return undefined;
    const outcome = await send(means, one, text);
    const said = resultText(outcome);
    if (REJECTION_WORDS.test(said.replaceAll(text, ''))) continue;
    const isTried = CONNECTION_ERRORS.test(said) && !CONNECTION_ERRORS.test(controlText);
    const isMade = isSuccess(outcome) && !isSuccess(control);
    if (isTried || isMade) return createSighting(one, outcome, control);
  }
  return undefined;
}

/** A tool that is not clearly read-only only gets addresses of our own listener. */
function allowedTexts({ session }: AimDeps, one: Aim, texts: readonly string[]): readonly string[] {
  const { tool } = one;
  const sent = texts.filter((text) =>
    session.target.wouldSend(tool.name, createAimedArguments(session, one, text)),
  );
  if (sent.length < texts.length) session.doubts.addTool(tool.name, NOT_TRIED);
  return sent;
}

function createSighting(one: Aim, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `An address in "${one.slot.path.join('.')}" is followed inside`,
    severity: 'high',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: createRpcEvidence(outcome),
    control: createRpcEvidence(control),
    remediation: 'Check the connected address: allow only public ones, again after each redirect.',
  };
}

async function send({ session, connection }: AimDeps, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, createAimedArguments(session, one, text), {
    deadlineMs: 8_000,
  });
}
