import type { Alerts } from '../../actors/alert/alerts.ts';
import { AlertCondition } from '../../domain/alert/definition.ts';
import { AlertView } from '../../domain/alert/view.ts';
import { AppError } from '../../domain/common/error.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { joinAnswer } from '../../domain/common/readable.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';

const DESCRIPTION = [
  'Defines an alert and answers its trigger state: armed (fresh data, condition not met), fired,',
  'or stale (no fresh data: it protects nothing now). It watches a price, finished candles of an',
  'exchange, the best spread between order books, headlines of curated domains, or public events',
  'of this service. Level, crossing, percent change and volatility over a window, event match;',
  'with hysteresis, hold time, re-arming, cooldown and expiry. Missing data never count as',
  'recovery, nor as no news: every exchange and domain that is named must answer. The same',
  'definition again finds the same alert, and costs the same: read it free at',
  'stoa://alerts/{alert_id} or GET /a2a/alerts/{alert_id}, arm it with POST …/rearm, end it with',
  'DELETE. Changes go to a webhook of yours. When no source answers, or none has anything fresh,',
  'nothing is made and nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface AlertToolDeps {
  readonly alerts: Pick<Alerts, 'check' | 'prepare' | 'begin'>;
  /** Who paid, in lower case. */
  payerOf(paymentId: string): Promise<string | undefined>;
}

/** The tool that defines an alert and says whether it is armed, fired or stale. */
export function alertTool(deps: AlertToolDeps): Tool<AlertCondition> {
  return {
    server: 'commerce',
    name: 'oracle_alert-generator',
    title: 'Price and event alerts',
    description: DESCRIPTION,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    input: AlertCondition,
    output: AlertView,
    price: { amount: toText(microUsd('0.05')), flow: 'authorization' },
    ready: (input) => {
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
  const owner = await ownerOf(context, deps);
  const { alert, isNew } = await deps.alerts.prepare(input, { owner, isLocal });
  return answer(alert, isNew);
}

/** Begins the alert that was paid for; one that was there already is as it is. */
async function finish(
  input: AlertCondition,
  context: ToolContext,
  { deps, result }: { readonly deps: AlertToolDeps; readonly result: ToolResult },
): Promise<ToolResult> {
  const prepared = AlertView.parse(result.structuredContent);
  const [told] = result.content;
  if (told?.type !== 'text' || !told.text.includes(NEW)) return result;
  const owner = await ownerOf(context, deps);
  const order = { alertId: prepared.alert_id, owner, at: Date.parse(prepared.created_at) };
  return answer(await deps.alerts.begin(input, order), true);
}

async function ownerOf({ paymentId }: ToolContext, { payerOf }: AlertToolDeps): Promise<string> {
  const payer = paymentId === undefined ? undefined : await payerOf(paymentId);
  if (payer !== undefined) return payer;
  throw new AppError('INVARIANT', { message: 'a priced call has a payer' });
}

function answer(alert: AlertView, isNew: boolean): ToolResult {
  return { content: [{ type: 'text', text: wordsOf(alert, isNew) }], structuredContent: alert };
}

const NEW = 'a new alert';

function wordsOf(alert: AlertView, isNew: boolean): string {
  const { alert_id: id, state, last_value: last, read_at: at, fault } = alert;
  return joinAnswer([
    `${state}: ${isNew ? NEW : 'the alert that you have already'}, ${id}`,
    last === null ? 'No value yet.' : `Last value: ${last.value} ${last.unit} as of ${last.as_of}.`,
    ...(state === 'stale' ? [`It has no fresh data and protects nothing now. ${fault ?? ''}`] : []),
    `Read it free: ${at.resource} or GET ${at.path}. Expires ${alert.expires_at}.`,
  ]);
}
