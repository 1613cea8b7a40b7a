import { sha256Hex } from '../../common/hash.ts';
import { auditDigits, canaryOf } from '../probe/canary.ts';

/** How the folder of every audit begins. */
export const OWN_FOLDER_PREFIX = 'stoa-audit-';
/** Digits that tell the names of one audit apart. */
const LABEL_DIGITS = 8;
const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The names that belong to one audit. No target has one of them: they hold 128 random bits. */
export interface OwnNames {
  readonly folder: string;
  /** A file below the folder. The same label gives the same name. */
  path(label: string): string;
  /** A name without a slash. */
  flat(label: string): string;
  /** A host that nobody has (RFC 2606). */
  readonly host: string;
  readonly uuid: string;
  /** A canary: letters and digits. */
  text(label: string): string;
  /** True where a text holds the random bits of this audit. */
  isIn(text: string): boolean;
  /** True where a text begins with one of these names, behind a scheme or nothing. */
  isAtHead(text: string): boolean;
}

/**
 * Makes the names of an audit.
 *
 * @param seed - Of the audit: 128 random bits.
 */
export function ownNames(seed: string): OwnNames {
  const digits = auditDigits(seed);
  const folder = `${OWN_FOLDER_PREFIX}${digits}`;
  const host = `${folder}.invalid`;
  const uuid = digits.replace(UUID_PARTS, '$1-$2-$3-$4-$5');
  const labelOf = (label: string): string => sha256Hex(`${seed}/${label}`).slice(0, LABEL_DIGITS);
  const heads = [folder, canaryOf(seed, '').slice(0, -LABEL_DIGITS), uuid];
  return {
    folder,
    host,
    uuid,
    path: (label) => `${folder}/${labelOf(label)}.txt`,
    flat: (label) => `${folder}-${labelOf(label)}`,
    text: (label) => canaryOf(seed, label),
    isIn: (text) => text.includes(digits) || text.includes(uuid),
    isAtHead: (text) => {
      const plain = text.replace(/^https?:\/\//, '');
      return heads.some((head) => plain.startsWith(head));
    },
  };
}
