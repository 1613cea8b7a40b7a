import type { NoticeMessage } from '../../domain/notification/notifier.ts';

/** What a notice is created with. */
export interface NoticeInput {
  /** Says which telling this is: the same one again changes nothing. */
  readonly key: string;
  readonly message: NoticeMessage;
  /** Actor that hears how it ended; `null` for none. */
  readonly answerTo: string | null;
}

/** A notice as its actor keeps it. */
export interface NoticeContext extends NoticeInput {
  /** Receipt of whoever took it; `null` before. */
  readonly receipt: string | null;
  /** Why it was given up; `null` while it is not. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** What the effects answer: the receipt of whoever took it. */
export interface NoticeReceipt {
  readonly receipt: string;
}

/** Everything that a notice takes. */
export type NoticeEvent =
  | { readonly type: 'xstate.done.actor.send'; readonly output: NoticeReceipt }
  | { readonly type: 'xstate.done.actor.post'; readonly output: NoticeReceipt }
  | { readonly type: 'xstate.error.actor.send'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.post'; readonly error: unknown };

/** A notice before its first try. */
export function queuedNotice({ input }: { readonly input: NoticeInput }): NoticeContext {
  return { ...input, receipt: null, failure: null };
}

/** Why a notice was given up, as an engine delivers it. */
export function failureOf(event: NoticeEvent): NoticeContext['failure'] {
  if (!('error' in event)) return null;
  const { code, message } = (event.error ?? {}) as { code?: string; message?: string };
  return { code: code ?? 'INTERNAL', message: (message ?? 'no answer').slice(0, 300) };
}
