import { hashJson, sha256Hex } from '../../common/hash.ts';
import type { Greeting } from '../audit-target.ts';
import { cutText } from '../evidence.ts';
import type { Definition, Recon, TargetPins } from './recon.ts';

/** Characters of a name or an address that a pin is kept under. */
const KEY_CHARS_MAX = 220;

/** What pins are taken over. */
export type Pinnable = Pick<Recon, 'tools' | 'prompts' | 'resources' | 'templates' | 'card'> & {
  readonly greeting: Greeting | null;
};

/** A definition that is not what it was. */
export interface PinChange {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/**
 * Pins everything that a target tells of itself, each definition as a whole: names, texts, schemas,
 * hints and every other member.
 */
export function pinsOf(told: Pinnable): TargetPins {
  const others = [
    ...told.prompts.map((one) => [`prompt ${one.name}`, one] as const),
    ...told.resources.map((one) => [`resource ${addressOf(one)}`, one] as const),
    ...told.templates.map((one) => [`template ${addressOf(one)}`, one] as const),
    ...(told.card === null ? [] : [['card', told.card] as const]),
  ];
  const pins = {
    tools: hashes(told.tools.map((one) => [one.name, one] as const)),
    others: hashes(others),
    greeting: told.greeting === null ? null : hashJson(told.greeting),
  };
  return { whole: hashJson(pins), ...pins };
}

/** What is different between two times, tools and greeting first. */
export function changesBetween(earlier: TargetPins, later: TargetPins): readonly PinChange[] {
  const greeting: readonly PinChange[] =
    earlier.greeting === later.greeting ? [] : [{ name: 'the greeting', change: 'changed' }];
  return [
    ...differences(earlier.tools, later.tools),
    ...greeting,
    ...differences(earlier.others, later.others),
  ];
}

function differences(
  earlier: Readonly<Record<string, string>>,
  later: Readonly<Record<string, string>>,
): readonly PinChange[] {
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(later)])].sort();
  return names.flatMap((name): readonly PinChange[] => {
    if (earlier[name] === later[name]) return [];
    if (earlier[name] === undefined) return [{ name, change: 'added' }];
    return [{ name, change: later[name] === undefined ? 'removed' : 'changed' }];
  });
}

// Two definitions of one name are pinned together: neither hides behind the other.
function hashes(rows: readonly (readonly [string, unknown])[]): Record<string, string> {
  const groups = new Map<string, unknown[]>();
  for (const [name, one] of rows) {
    const key = shortKey(name);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return Object.fromEntries([...groups].map(([name, ones]) => [name, hashJson(ones)]));
}

/** A long name is told by how it begins, and apart from others by its hash. */
function shortKey(name: string): string {
  if (name.length <= KEY_CHARS_MAX) return name;
  return `${cutText(name, KEY_CHARS_MAX)}…${sha256Hex(name).slice(0, 16)}`;
}

function addressOf(one: Definition): string {
  const address = one['uri'] ?? one['uriTemplate'];
  return typeof address === 'string' ? address : one.name;
}
