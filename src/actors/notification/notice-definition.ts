import { AppError } from '../../domain/common/error.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Notifier } from '../../domain/notification/notifier.ts';
import { noticeMachine, version } from '../../machines/notification/notice.ts';
import type { NoticeContext, NoticeReceipt } from '../../machines/notification/notice-context.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../runtime/engine/types.ts';

/** Actor kind of notices. */
export const NOTICE_KIND = 'notice';
/** Waits before each retry of an operator notice, in milliseconds. */
export const SEND_RETRY_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS] as const;
/** Waits before each retry of a webhook delivery, in milliseconds. */
export const POST_RETRY_MS = [...SEND_RETRY_MS, HOUR_MS] as const;

const ATTEMPT_MS = MINUTE_MS;
/** Maximum number of concurrent webhook deliveries per host. */
const POST_CONCURRENCY = 4;
/** Error codes that no retry can fix. */
const PERMANENT_ERRORS: readonly unknown[] = ['NOT_CONFIGURED', 'EGRESS_BLOCKED', 'INVARIANT'];

type NoticeDelivery = Pick<NoticeContext, 'key' | 'message'>;

/** Creates the notice actor. The effect runner retries its deliveries through the notifier. */
export function defineNotice({ notifier }: { readonly notifier: Notifier }): Definition {
  const deliveryEffect = (waitsMs: readonly number[]): Effect<NoticeDelivery, NoticeReceipt> => ({
    attempts: waitsMs.length + 1,
    backoff: (attempt) => waitsMs[attempt - 1] ?? HOUR_MS,
    timeoutMs: ATTEMPT_MS,
    isRetryable: (error) => !PERMANENT_ERRORS.includes((error as { code?: unknown } | null)?.code),
    limit: { max: POST_CONCURRENCY, key: ({ message }) => deliveryKey(message) },
    run: async ({ key, message }, { signal }) => ({
      receipt: await notifier.send(message, { key, signal }),
    }),
  });
  return define({
    kind: NOTICE_KIND,
    version,
    machine: noticeMachine,
    effects: { send: deliveryEffect(SEND_RETRY_MS), post: deliveryEffect(POST_RETRY_MS) },
  });
}

function deliveryKey(message: NoticeDelivery['message']): string {
  if (message.kind !== 'webhook') return message.kind;
  if (!URL.canParse(message.url)) throw new AppError('INVARIANT', { message: 'an address' });
  return new URL(message.url).host;
}
