import type { NoticeInput } from '../../machines/notification/notice-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';

const egressError: EffectError = { name: 'AppError', code: 'EGRESS_FAILED', message: '503' };
const ends = { done: [{ receipt: '250 taken' }], error: [egressError] };

/** Path plan of a notice, by email and by webhook. */
export const noticePlan: PathPlan = {
  inputs: { email: createNoticeInput(false), webhook: createNoticeInput(true) },
  effects: { send: ends, post: ends },
  events: {},
};

function createNoticeInput(isForWebhook: boolean): NoticeInput {
  const [webhookId, deliveryId] = ['wh_path', 'wh_path:1'];
  const url = 'https://example.org/hook';
  return isForWebhook
    ? {
        key: deliveryId,
        message: { kind: 'webhook', webhookId, url, event: 'job.released', deliveryId, body: '{}' },
        answerTo: webhookId,
      }
    : { key: 'full', message: { kind: 'email', title: 'full', text: 'x' }, answerTo: webhookId };
}
