import type { Hidden } from '../../../src/domain/inspect/wire.ts';

const MEMBERS = 2;

/** Returns true if a value is the placeholder of a redacted one. */
export function isHidden(value: unknown): value is Hidden {
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
export function hiddenWords({ hidden, size }: Hidden): string {
  if (hidden === 'text') return `hidden text, ${count(size, 'character')}`;
  if (hidden === 'list') return `hidden list, ${count(size, 'item')}`;
  if (hidden === 'object') return `hidden object, ${count(size, 'member')}`;
  return `hidden ${hidden}`;
}

function count(size: number, word: string): string {
  return `${size} ${word}${size === 1 ? '' : 's'}`;
}
