import type { EffectError } from '../engine/types.ts';

const MESSAGE_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 200;
/** Maximum number of causes and aggregated errors included in a message. */
const CAUSES_MAX = 5;

/** Converts any thrown value to the error stored in events and the journal. */
export function toEffectError(thrown: unknown): EffectError {
  const { name, code, message } = readErrorFields(thrown);
  const error = {
    name: typeof name === 'string' && name !== '' ? name.slice(0, NAME_CHARS_MAX) : 'Error',
    message: (message ?? 'A value without a message was thrown.').slice(0, MESSAGE_CHARS_MAX),
  };
  const isCode = typeof code === 'string' || typeof code === 'number';
  return isCode ? { ...error, code: String(code).slice(0, NAME_CHARS_MAX) } : error;
}

/** Returns the message of a thrown value. */
export function errorMessage(thrown: unknown): string {
  return toEffectError(thrown).message;
}

function readErrorFields(thrown: unknown): {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: string | undefined;
} {
  try {
    if (typeof thrown !== 'object' || thrown === null) return { message: String(thrown) };
    const { name, code } = thrown as { readonly name?: unknown; readonly code?: unknown };
    return { name, code, message: [getMessage(thrown), ...listCauses(thrown)].join('; ') };
  } catch {
    // Getters of the thrown value may throw themselves.
    return {};
  }
}

function getMessage(thrown: object): string {
  const { message } = thrown as { readonly message?: unknown };
  if (typeof message === 'string') return message;
  return JSON.stringify(message ?? thrown) ?? String(message);
}

function listCauses(thrown: object): readonly string[] {
  const causes: string[] = [];
  const { errors } = thrown as { readonly errors?: unknown };
  const several: readonly unknown[] = Array.isArray(errors) ? errors : [];
  for (const each of several.slice(0, CAUSES_MAX)) causes.push(summarize(each));
  let cause = (thrown as { readonly cause?: unknown }).cause;
  while (cause !== undefined && cause !== null && causes.length < CAUSES_MAX) {
    causes.push(`caused by ${summarize(cause)}`);
    cause = typeof cause === 'object' ? (cause as { readonly cause?: unknown }).cause : undefined;
  }
  return causes;
}

function summarize(value: unknown): string {
  return typeof value === 'object' && value !== null ? getMessage(value) : String(value);
}
