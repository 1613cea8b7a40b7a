import type { JsonObject } from '../../domain/common/json.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import type { NoticeInput } from '../notification/notice-context.ts';
import type { AlertContext, AlertTransition } from './alert-context.ts';

/** Returns the messages to send for the last change of an alert. */
export function createMessages(context: AlertContext): readonly (ActorCreate | ActorSend)[] {
  const row = context.history.at(-1);
  if (row === undefined || !row.isNotified) return [];
  const { webhookId, operator } = context.definition.notify;
  return [
    ...(webhookId === null ? [] : [createWebhookMessage(context, row, webhookId)]),
    ...(operator ? [createOperatorMessage(context, row)] : []),
  ];
}

/** Returns the notification data of one change. */
export function transitionData(context: AlertContext, row: AlertTransition): JsonObject {
  return {
    alert_id: context.alertId,
    key: row.key,
    from: row.from,
    to: row.to,
    at: new Date(row.at).toISOString(),
    reason: row.reason,
    value: row.value,
    threshold: context.definition.threshold,
    gap_crossed: row.gapCrossed,
    ...(row.to === 'fired' ? evidenceData(context) : {}),
  };
}

/** Returns the source responses behind the last value and the matching headlines, if stored. */
export function evidenceData({ evidence }: Pick<AlertContext, 'evidence'>) {
  const { proof, found } = evidence ?? {};
  return {
    ...(proof === undefined
      ? {}
      : {
          sources: proof.map(({ source, url, sha256, at }) => ({
            source,
            url,
            sha256,
            retrieved_at: at,
          })),
        }),
    ...(found === undefined
      ? {}
      : {
          found: found.map(({ title, url, domain, publishedAt }) => ({
            title,
            url,
            domain,
            published_at: publishedAt,
          })),
        }),
  };
}

/** Describes the condition of an alert in one line. */
export function describeCondition({ definition }: Pick<AlertContext, 'definition'>): string {
  const { subject, op, threshold } = definition;
  switch (subject.kind) {
    case 'price':
      return `${subject.pair} (${subject.venue}) ${op} ${threshold}`;
    case 'candles':
      return `${subject.pair} (${subject.venue}, candles of ${subject.candle}) ${op} ${threshold}`;
    case 'spread': {
      const venues = subject.between.map(({ venue }) => venue).join(', ');
      return `${subject.pair} (spread between ${venues}) ${op} ${threshold} bps`;
    }
    case 'news':
      return `news about ${subject.query} (${subject.domains.join(', ')})`;
    case 'event':
      return `${subject.topic}${subject.query === null ? '' : ` about ${subject.query}`}`;
  }
}

function createWebhookMessage(
  context: AlertContext,
  row: AlertTransition,
  webhookId: string,
): ActorSend {
  const event = {
    type: 'WEBHOOK.EVENT',
    event: `alert.${row.to}`,
    key: row.key,
    at: new Date(row.at).toISOString(),
    data: transitionData(context, row),
  };
  return { type: 'actor.send', to: webhookId, event };
}

function createOperatorMessage(context: AlertContext, row: AlertTransition): ActorCreate {
  const condition = describeCondition(context);
  const input: NoticeInput = {
    key: row.key,
    message: {
      kind: 'email',
      title: `Alert ${row.to}: ${condition}`,
      text: [
        `${condition} is ${row.to} since ${new Date(row.at).toISOString()} (${row.reason}).`,
        `Value: ${row.value ?? 'none'}. Change: ${row.key}.`,
      ].join('\n'),
    },
    answerTo: null,
  };
  return { type: 'actor.create', to: `notice:${row.key}`, kind: 'notice', input };
}
