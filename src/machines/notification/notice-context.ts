import type { NoticeMessage } from '../../domain/notification/notifier.ts';

/** Input of a notice. */
export interface NoticeInput {
  /** Identifies the notification; repeating it changes nothing. */
  readonly key: string;
  readonly message: NoticeMessage;
  /** Actor to notify of the result; `null` for none. */
  readonly answerTo: string | null;
}

/** Context of a notice actor. */
export interface NoticeContext extends NoticeInput {
  /** Receipt of the recipient; `null` before delivery. */
  readonly receipt: string | null;
  /** Failure that ended the delivery; `null` if none. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** Output of the delivery effects: the recipient's receipt. */
export interface NoticeReceipt {
  readonly receipt: string;
}

/** Events that a notice accepts. */
export type NoticeEvent =
  | { readonly type: 'xstate.done.actor.send'; readonly output: NoticeReceipt }
  | { readonly type: 'xstate.done.actor.post'; readonly output: NoticeReceipt }
  | { readonly type: 'xstate.error.actor.send'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.post'; readonly error: unknown };

/** Creates the initial context of a notice. */
export function createNoticeContext({ input }: { readonly input: NoticeInput }): NoticeContext {
  return { ...input, receipt: null, failure: null };
}

/** Returns the failure in an event, as the engine delivers it. */
export function failureOfEvent(event: NoticeEvent): NoticeContext['failure'] {
  if (!('error' in event)) return null;
  const { code, message } = (event.error ?? {}) as { code?: string; message?: string };
  return { code: code ?? 'INTERNAL', message: (message ?? 'no answer').slice(0, 300) };
}
