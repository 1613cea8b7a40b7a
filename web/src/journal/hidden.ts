import type { HiddenValue } from '../../../src/domain/inspect/wire.ts';

const MEMBERS = 2;

/** Returns true if a value is the placeholder of a redacted one. */
export function isHidden(value: unknown): value is HiddenValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return (
    Object.keys(value).length === MEMBERS &&
    'hidden' in value &&
    'size' in value &&
    typeof value.hidden === 'string' &&
    typeof value.size === 'number'
  );
}

/** Formats a placeholder, for example `hidden text, 132 characters`. */
export function formatHidden({ hidden, size }: HiddenValue): string {
  if (hidden === 'text') return `hidden text, ${formatCount(size, 'character')}`;
  if (hidden === 'list') return `hidden list, ${formatCount(size, 'item')}`;
  if (hidden === 'object') return `hidden object, ${formatCount(size, 'member')}`;
  return `hidden ${hidden}`;
}

function formatCount(size: number, word: string): string {
  return `${size} ${word}${size === 1 ? '' : 's'}`;
}
