import { hashJson, sha256Hex } from '../../common/hash.ts';
import type { Greeting } from '../audit-target.ts';
import { truncateText } from '../evidence.ts';
import type { Definition, Recon, TargetPins } from './recon.ts';

/** Maximum length of a pin key. */
const KEY_CHARS_MAX = 220;

/** The parts of a target that are pinned. */
export type PinSource = Pick<Recon, 'tools' | 'prompts' | 'resources' | 'templates' | 'card'> & {
  readonly greeting: Greeting | null;
};

/** A definition that changed. */
export interface PinChange {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/**
 * Pins everything that a target declares. Each definition is hashed as a whole: name, texts,
 * schemas, hints and all other members.
 */
export function computePins(declared: PinSource): TargetPins {
  const others = [
    ...declared.prompts.map((one) => [`prompt ${one.name}`, one] as const),
    ...declared.resources.map((one) => [`resource ${resourceAddress(one)}`, one] as const),
    ...declared.templates.map((one) => [`template ${resourceAddress(one)}`, one] as const),
    ...(declared.card === null ? [] : [['card', declared.card] as const]),
  ];
  const pins = {
    tools: hashByName(declared.tools.map((one) => [one.name, one] as const)),
    others: hashByName(others),
    greeting: declared.greeting === null ? null : hashJson(declared.greeting),
  };
  return { whole: hashJson(pins), ...pins };
}

/** Returns the differences between two pins, tools and greeting first. */
export function comparePins(earlier: TargetPins, later: TargetPins): readonly PinChange[] {
  const greeting: readonly PinChange[] =
    earlier.greeting === later.greeting ? [] : [{ name: 'the greeting', change: 'changed' }];
  return [
    ...compareHashes(earlier.tools, later.tools),
    ...greeting,
    ...compareHashes(earlier.others, later.others),
  ];
}

function compareHashes(
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

// Definitions with the same name are hashed together, so that none can hide another.
function hashByName(rows: readonly (readonly [string, unknown])[]): Record<string, string> {
  const groups = new Map<string, unknown[]>();
  for (const [name, one] of rows) {
    const key = shortenKey(name);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return Object.fromEntries([...groups].map(([name, ones]) => [name, hashJson(ones)]));
}

/** Shortens a long name to its beginning and a hash. */
function shortenKey(name: string): string {
  if (name.length <= KEY_CHARS_MAX) return name;
  return `${truncateText(name, KEY_CHARS_MAX)}…${sha256Hex(name).slice(0, 16)}`;
}

function resourceAddress(one: Definition): string {
  const address = one['uri'] ?? one['uriTemplate'];
  return typeof address === 'string' ? address : one.name;
}
