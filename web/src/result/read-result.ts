import type { ToolResult } from './app-host.ts';

/** The first lines of a result. */
export interface ResultHead {
  readonly answer: string;
  readonly why?: string;
  readonly decidedBy?: string;
  readonly cost?: string;
  readonly see?: string;
}

/** A price that a person approves. */
export interface SpendingRequest {
  /** In dollars. */
  readonly amount: string;
  readonly bought: string;
  readonly payTo: string;
  /** Why it was not paid by itself. */
  readonly reason: string;
  readonly terms?: string;
  /** Whether a call with a wallet can pay it. */
  readonly isPayable: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
const LABELS = { why: 'Why: ', decidedBy: 'Decided by: ', cost: 'Cost: ', see: 'See: ' } as const;
const HEAD_LINES = 5;
const MICROS_PER_DOLLAR = 1_000_000;

/** Reads the first lines of a result's text. */
export function readHead({ content }: ToolResult): ResultHead {
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  const [answer = '', ...lines] = text.split('\n').slice(0, HEAD_LINES);
  const labelled = Object.entries(LABELS).flatMap(([name, label]) => {
    const line = lines.find((one) => one.startsWith(label));
    return line === undefined ? [] : [[name, line.slice(label.length)]];
  });
  return { answer, ...Object.fromEntries(labelled) };
}

/** Returns the lines of a result below its first ones. */
export function readDetails({ content }: ToolResult): readonly string[] {
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  const labels = Object.values(LABELS);
  const isLabelled = (line: string) => labels.some((label) => line.startsWith(label));
  return text
    .split('\n')
    .filter((line, index) => index >= HEAD_LINES || (index > 0 && !isLabelled(line)));
}

/** Returns the job id of a running result, which is polled. */
export function readRunningJob({ structuredContent: state = {} }: ToolResult): string | undefined {
  const { job_id: jobId, poll_after_ms: pollAfterMs } = state;
  return typeof jobId === 'string' && pollAfterMs !== undefined ? jobId : undefined;
}

/** Returns the price that a result asks for; `undefined` for a result that asks for none. */
export function readSpending(result: ToolResult): SpendingRequest | undefined {
  const content = result.structuredContent ?? {};
  if (result.isError !== true) return undefined;
  return readChallenge(content) ?? readRefusal(content);
}

function readChallenge(content: Fields): SpendingRequest | undefined {
  const [offer] = asList(content['accepts']);
  if (content['x402Version'] === undefined || offer === undefined) return undefined;
  const extra = asFields(offer['extra']);
  const terms = extra['cancelTerms'];
  return {
    amount: (Number(offer['amount']) / MICROS_PER_DOLLAR).toFixed(2),
    bought: readText(asFields(content['resource'])['description'], 'this call'),
    payTo: readText(offer['payTo']),
    reason: readText(content['error']),
    ...(typeof terms === 'string' ? { terms } : {}),
    isPayable: true,
  };
}

/** Reads the refusal of a wallet that may not pay by itself. */
function readRefusal(content: Fields): SpendingRequest | undefined {
  if (content['error'] !== 'SPENDING_CAP' && content['error'] !== 'CHALLENGE_REFUSED') {
    return undefined;
  }
  return {
    amount: readText(asFields(content['price'])['amount'], '?'),
    bought: readText(content['tool'], 'this call'),
    payTo: readText(content['pay_to']),
    reason: readText(content['message']),
    isPayable: false,
  };
}

/** Returns the objects of a list; empty for anything else. */
export function asList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** Returns an object; empty for anything else. */
export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns a text or a number as text; `fallback` for anything else. */
export function readText(value: unknown, fallback = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;
}
