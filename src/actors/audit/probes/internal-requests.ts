import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import { answerText, isDone } from '../../../domain/audit/probe/tool-answer.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { callable, callTool } from '../session/calling.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type Aim, aimed, aimsOf } from '../session/slots.ts';
import { type Means, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 60;
const AIMS_MAX = 4;
const WORDS = {
  field: pattern(
    'i',
    'ur[il]|link|address|endpoint|host|webhook|callback|feed|source|image|site|',
    'page|domain|target|location',
  ),
  tool: pattern(
    'i',
    'fetch|download|crawl|scrape|request|http|web|url|link|feed|preview|',
    'screenshot|import|image|ping|monitor|website|page',
  ),
};
/** Errors of failed connection attempts; an address check never returns them. */
const TRIED = pattern(
  'i',
  'ECONNREFUSED|connection refused|connect(ion)? (failed|error)|ECONNRESET|',
  'fetch failed|EHOSTUNREACH|ENETUNREACH|socket hang up|connect ETIMEDOUT',
);
const REFUSED = pattern(
  'i',
  'not allowed|forbidden|blocked|private|internal|loopback|denied|refus(ed|',
  'es) to|may not|not permitted|disallowed|public',
);

const NOT_TRIED = 'the tool is not clearly read-only, so no other host was tested';

/** Detects server-side request forgery: addresses in calls that are followed to internal hosts. */
export const internalRequests = makeProbe({
  probeId: 'internal-requests',
  version: 1,
  category: 'ASI02',
  mode: 'active',
  title: 'Addresses in calls are followed to internal hosts',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = aimsOf(callable(session, focus), WORDS, AIMS_MAX).filter(({ rank }) => rank > 1);
    const reason = 'no callable tool accepts an address';
    return await tryAims(session, aims, {
      requestsMax: REQUESTS_MAX,
      focus,
      reason,
      tryOne: tryInside,
    });
  },
});

async function tryInside(means: Means, one: Aim): Promise<Sighting | undefined> {
  return (await followed(means, one)) ?? (await tried(means, one));
}

/** Tests whether the target requests our own loopback listener, in several spellings. */
async function followed(means: Means, one: Aim): Promise<Sighting | undefined> {
  const { listener } = means.session;
  if (listener === undefined) return undefined;
  const label = means.session.canary(`follow-${one.tool.name}-${one.slot.path.join('.')}`);
  const address = new URL(listener.url(label));
  const spellings = ['127.0.0.1', 'localhost', '2130706433', '0x7f000001', '[::ffff:127.0.0.1]'];
  const texts = [
    ...spellings.map((host) => `http://${host}:${address.port}${address.pathname}`),
    listener.redirect(label),
  ];
  for (const text of permitted(means, one, texts)) {
    if (!hasRoom(means.session, REQUESTS_MAX)) return undefined;
    const before = listener.hits(label);
    const outcome = await send(means, one, text);
    if (listener.hits(label) === before) continue;
    const control = await send(means, one, `http://${means.session.canary('host')}.invalid/`);
    return sighting(one, outcome, control);
  }
  return undefined;
}

/** Tests whether the answer reveals an internal connection or attempt. */
async function tried(means: Means, one: Aim): Promise<Sighting | undefined> {
  const control = await send(means, one, `http://${means.session.canary('host')}.invalid/`);
  const controlText = answerText(control);
  const targets = [
    'http://127.0.0.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:1/',
    'http://10.0.0.1:1/',
    'http://[::1]:1/',
  ];
  for (const text of permitted(means, one, targets)) {
    if (!hasRoom(means.session, REQUESTS_MAX)) return undefined;
    const outcome = await send(means, one, text);
    const said = answerText(outcome);
    if (REFUSED.test(said.replaceAll(text, ''))) continue;
    const isTried = TRIED.test(said) && !TRIED.test(controlText);
    const isMade = isDone(outcome) && !isDone(control);
    if (isTried || isMade) return sighting(one, outcome, control);
  }
  return undefined;
}

/** A tool that is not clearly read-only only gets addresses of our own listener. */
function permitted({ session }: Means, one: Aim, texts: readonly string[]): readonly string[] {
  const { tool } = one;
  const sent = texts.filter((text) =>
    session.target.wouldSend(tool.name, aimed(session, one, text)),
  );
  if (sent.length < texts.length) session.doubts.noteTool(tool.name, NOT_TRIED);
  return sent;
}

function sighting(one: Aim, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `An address in "${one.slot.path.join('.')}" is followed inside`,
    severity: 'high',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: rpcEvidence(outcome),
    control: rpcEvidence(control),
    remediation: 'Check the connected address: allow only public ones, again after each redirect.',
  };
}

async function send({ session, connection }: Means, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, aimed(session, one, text), {
    deadlineMs: 8_000,
  });
}
