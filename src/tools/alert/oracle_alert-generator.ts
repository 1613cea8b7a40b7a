import type { Alerts } from '../../actors/alert/alerts.ts';
import { AlertCondition } from '../../domain/alert/definition.ts';
import { AlertView } from '../../domain/alert/view.ts';
import { AppError } from '../../domain/common/error.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

const PRICE_USD = '0.05';
const DESCRIPTION = [
  'Create an alert on a price, finished candles, the best spread between order books, headlines',
  'of curated domains, or public events of this service. Returns its trigger state: armed (fresh',
  'data, condition not met), fired, or stale (no fresh data, so it cannot fire). Conditions:',
  'level, crossing, percent change, volatility or event match, with hysteresis, hold time,',
  'cooldown and expiry. Missing data never re-arms an alert: every named exchange and domain must',
  'answer. Repeating a definition returns the existing alert; the call is still charged. Read it',
  'free at stoa://alerts/{alert_id} or GET /a2a/alerts/{alert_id}; re-arm with POST …/rearm, end',
  `with DELETE. Changes go to your webhook. $${PRICE_USD} per call. You are not charged if its`,
  'sources have no fresh data.',
].join(' ');

/** Dependencies of the tool. */
export interface AlertToolDeps {
  readonly alerts: Pick<Alerts, 'check' | 'prepare' | 'create'>;
  /** Returns the paying wallet in lower case. */
  payerOf(paymentId: string): Promise<string | undefined>;
}

/** Creates the tool `oracle_alert-generator`. */
export function alertTool(deps: AlertToolDeps): Tool<AlertCondition> {
  return {
    server: 'commerce',
    name: 'oracle_alert-generator',
    title: 'Price and event alerts',
    description: DESCRIPTION,
    summary:
      'Create an alert on a price, spread, headlines or public events: armed, fired or ' +
      'stale. Changes go to your webhook; read it free at stoa://alerts/{alert_id}. No ' +
      'charge without fresh data.',
    example: { subject: { pair: 'BTC/USD' }, op: 'above', threshold: '150000' },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    input: AlertCondition,
    output: AlertView,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      deps.alerts.check(input);
      return undefined;
    },
    run: (input, context) => run(input, context, deps),
    finish: (input, context, result) => finish(input, context, { deps, result }),
  };
}

async function run(
  input: AlertCondition,
  context: ToolContext,
  deps: AlertToolDeps,
): Promise<ToolResult> {
  const isLocal = context.principal.kind === 'local';
  const owner = await requireOwner(context, deps);
  const { alert, isNew } = await deps.alerts.prepare(input, { owner, isLocal });
  return toResult(alert, isNew, context);
}

/** Starts a new alert once it is paid; an existing alert does not change. */
async function finish(
  input: AlertCondition,
  context: ToolContext,
  { deps, result }: { readonly deps: AlertToolDeps; readonly result: ToolResult },
): Promise<ToolResult> {
  const prepared = AlertView.parse(result.structuredContent);
  const [firstBlock] = result.content;
  if (firstBlock?.type !== 'text' || !firstBlock.text.includes(NEW_ALERT_TEXT)) return result;
  const owner = await requireOwner(context, deps);
  const order = { alertId: prepared.alert_id, owner, at: Date.parse(prepared.created_at) };
  return toResult(await deps.alerts.create(input, order), true, context);
}

async function requireOwner(
  { paymentId }: ToolContext,
  { payerOf }: AlertToolDeps,
): Promise<string> {
  const payer = paymentId === undefined ? undefined : await payerOf(paymentId);
  if (payer !== undefined) return payer;
  throw new AppError('INVARIANT', { message: 'a priced call has a payer' });
}

function toResult(alert: AlertView, isNew: boolean, context: ToolContext): ToolResult {
  const text = formatAlert(alert, isNew, context);
  return { content: [{ type: 'text', text }], structuredContent: alert };
}

const NEW_ALERT_TEXT = 'a new alert';

function formatAlert(
  alert: AlertView,
  isNew: boolean,
  { origin, price }: Pick<ToolContext, 'origin' | 'price'>,
): string {
  const { alert_id: id, state, last_value: last, read_at: at, fault, evidence_ref: hash } = alert;
  const value =
    last === null
      ? 'no value yet.'
      : `the last value is ${last.value} ${last.unit} as of ${last.as_of}.`;
  const stale = `its sources have no fresh data, so it cannot fire now. ${fault ?? ''}`.trim();
  return composeResult({
    answer: `${state}: ${isNew ? NEW_ALERT_TEXT : 'the alert that you already have'}, ${id}`,
    why: state === 'stale' ? `${stale} Before that, ${value}` : value,
    decidedBy: 'your condition, over the sources that it names',
    cost: formatCost(price),
    see: at.path,
    origin,
    details: [`Read it free: ${at.resource} or GET ${at.path}. Expires ${alert.expires_at}.`],
    proofs: hash === null ? [] : [`SHA-256 of the last value and its source ${hash}`],
  });
}
