import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import { answerText, isDone } from '../../../domain/audit/probe/tool-answer.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { callTool, readers } from '../session/calling.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type Aim, aimed, aimsOf } from '../session/slots.ts';
import { type Means, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 80;
const AIMS_MAX = 6;
const WORDS = {
  field: pattern(
    'i',
    'query|filter|name|search|text|term|keyword|\\bid\\b|id$|where|q$|customer|',
    'product|user|title|value|number|order|article|city',
  ),
  tool: /search|find|query|list|look|get|record|table|database|row|article|product|customer|order/i,
};
/** Ways to terminate a query text and cut off its rest. */
const ENDINGS = [
  { quote: "'", rest: '' },
  { quote: "'", rest: ' -- ' },
  { quote: '"', rest: '' },
  { quote: '"', rest: ' -- ' },
  { quote: "')", rest: ' -- ' },
  { quote: '', rest: '' },
];

/**
 * Detects text that becomes part of a database query: a condition that always holds gives another
 * answer than one that never does. Only read-only tools are tested.
 */
export const queryInjection = makeProbe({
  probeId: 'query-injection',
  version: 1,
  category: 'ASI05',
  mode: 'active',
  title: 'Texts of calls become part of a query',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const aims = aimsOf(readers(session, focus), WORDS, AIMS_MAX).filter(({ rank }) => rank > 1);
    const reason = 'no read-only tool accepts a search text';
    return await tryAims(session, aims, { requestsMax: REQUESTS_MAX, focus, reason, tryOne });
  },
});

async function tryOne(means: Means, one: Aim): Promise<Sighting | undefined> {
  const base = means.session.canary('query').slice(0, 14);
  const plain = await send(means, one, base);
  for (const { quote, rest } of ENDINGS) {
    if (!hasRoom(means.session, REQUESTS_MAX)) return undefined;
    const open = quote.startsWith('"') ? '"' : quote === '' ? '' : "'";
    const tail = (left: number, right: number) =>
      rest === '' ? `${open}${left}${open}=${open}${right}` : `${left}=${right}${rest}`;
    const holds = await send(means, one, `${base}${quote} or ${tail(7, 7)}`);
    if (!isDone(holds) || alike(holds, plain)) continue;
    const never = await send(means, one, `${base}${quote} or ${tail(7, 8)}`);
    const again = await send(means, one, `${base}${quote} or ${tail(9, 9)}`);
    // True conditions must answer alike, and differently from the false one and the plain text.
    if (!alike(holds, again) || alike(holds, never)) continue;
    return {
      title: `The text of "${one.slot.path.join('.')}" becomes part of a query`,
      severity: 'critical',
      status: 'unreproduced',
      tool: one.tool.name,
      evidence: rpcEvidence(holds),
      control: rpcEvidence(never),
      remediation: 'Use bound parameters; never build queries by concatenation.',
    };
  }
  return undefined;
}

/** Compares answers without the parts that they repeat from the request. */
function alike(left: RpcOutcome, right: RpcOutcome): boolean {
  return left.kind === right.kind && plainText(left) === plainText(right);
}

function plainText(outcome: RpcOutcome): string {
  return answerText(outcome)
    .replace(/stoacanary\w*["'`)]*(?: or ["']?\d["']?\s?=\s?["']?\d["']?(?: -- )?)?/gi, '')
    .trim();
}

async function send({ session, connection }: Means, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, aimed(session, one, text), {
    deadlineMs: 5_000,
  });
}
