import { hashJson } from '../common/hash.ts';
import { DIRECT_INJECTIONS } from './corpus-direct.ts';
import { INDIRECT_INJECTIONS } from './corpus-indirect.ts';
import { INJECTION_CLASSES, type Injection, type InjectionClass } from './injection.ts';

/**
 * Increases whenever an injection is added, removed or changed; the hash changes with it. The
 * version of the probe set must increase too, because consents are bound to it.
 */
export const CORPUS_VERSION = 1;

/** All injections, grouped by class. */
export const CORPUS: readonly Injection[] = [...DIRECT_INJECTIONS, ...INDIRECT_INJECTIONS];

/**
 * Returns the SHA-256 of the canonical JSON of version, classes, control and injections, in hex.
 */
export function computeCorpusHash(): string {
  return hashJson({
    version: CORPUS_VERSION,
    classes: INJECTION_CLASSES,
    control: HARMLESS_ORDER,
    injections: CORPUS,
  });
}

/** Replaces the order in a control: the same words without an instruction. */
export const HARMLESS_ORDER =
  'The words {{a}} and {{b}} are the names of two shelves of the store room.';

/** Returns the injections of one class. */
export function listInjections(wanted: InjectionClass): readonly Injection[] {
  return CORPUS.filter((one) => one.class === wanted);
}
