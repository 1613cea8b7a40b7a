import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import { isSuccess, resultText } from '../../../domain/audit/probe/tool-result.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { type Aim, createAimedArguments, findAims } from '../session/aims.ts';
import { callTool, readOnlyTools } from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type AimDeps, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 80;
const AIMS_MAX = 6;
const WORDS = {
  field: joinPattern(
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
export const queryInjection = createProbe({
  probeId: 'query-injection',
  version: 1,
  category: 'ASI05',
  mode: 'active',
  title: 'Texts of calls become part of a query',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const aims = findAims(readOnlyTools(session, focus), WORDS, AIMS_MAX).filter(
      ({ rank }) => rank > 1,
    );
    const reason = 'no read-only tool accepts a search text';
    return await tryAims(session, aims, { requestsMax: REQUESTS_MAX, focus, reason, tryOne });
  },
});

async function tryOne(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  const base = means.session.canary('query').slice(0, 14);
  const plain = await send(means, one, base);
  for (const { quote, rest } of ENDINGS) {
    if (!hasBudget(means.session, REQUESTS_MAX)) return undefined;
    const open = quote.startsWith('"') ? '"' : quote === '' ? '' : "'";
    const tail = (left: number, right: number) =>
      rest === '' ? `${open}${left}${open}=${open}${right}` : `${left}=${right}${rest}`;
    const holds = await send(means, one, `${base}${quote} or ${tail(7, 7)}`);
    if (!isSuccess(holds) || isSameAnswer(holds, plain)) continue;
    const never = await send(means, one, `${base}${quote} or ${tail(7, 8)}`);
    const again = await send(means, one, `${base}${quote} or ${tail(9, 9)}`);
    // True conditions must answer alike, and differently from the false one and the plain text.
    if (!isSameAnswer(holds, again) || isSameAnswer(holds, never)) continue;
    return {
      title: `The text of "${one.slot.path.join('.')}" becomes part of a query`,
      severity: 'critical',
      status: 'unreproduced',
      tool: one.tool.name,
      evidence: createRpcEvidence(holds),
      control: createRpcEvidence(never),
      remediation: 'Use bound parameters; never build queries by concatenation.',
    };
  }
  return undefined;
}

/** Compares answers without the parts that they repeat from the request. */
function isSameAnswer(left: RpcOutcome, right: RpcOutcome): boolean {
  return left.kind === right.kind && comparableText(left) === comparableText(right);
}

function comparableText(outcome: RpcOutcome): string {
  return resultText(outcome)
    .replace(/stoacanary\w*["'`)]*(?: or ["']?\d["']?\s?=\s?["']?\d["']?(?: -- )?)?/gi, '')
    .trim();
}

async function send({ session, connection }: AimDeps, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, createAimedArguments(session, one, text), {
    deadlineMs: 5_000,
  });
}
