import { sha256Hex } from '../../common/hash.ts';
import { deriveAuditDigits, deriveCanary } from '../probe/canary.ts';

/** Prefix of the folder of every audit. */
export const AUDIT_FOLDER_PREFIX = 'stoa-audit-';
/** Number of digits that distinguish the names of one audit. */
const LABEL_DIGITS = 8;
const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** Names that belong to one audit. They contain 128 random bits, so no target uses them already. */
export interface AuditNames {
  readonly folder: string;
  /** Returns a file path in the folder. The same label returns the same path. */
  filePath(label: string): string;
  /** Returns a name without a slash. */
  flatName(label: string): string;
  /** A host that cannot exist (RFC 2606). */
  readonly host: string;
  readonly uuid: string;
  /** Returns a canary of letters and digits. */
  canary(label: string): string;
  /** Returns whether a text contains the random bits of this audit. */
  isContainedIn(text: string): boolean;
  /** Returns whether a text starts with one of these names, with or without a scheme. */
  isPrefixOf(text: string): boolean;
}

/**
 * Creates the names of an audit.
 *
 * @param seed - Seed of the audit with 128 random bits.
 */
export function createAuditNames(seed: string): AuditNames {
  const digits = deriveAuditDigits(seed);
  const folder = `${AUDIT_FOLDER_PREFIX}${digits}`;
  const host = `${folder}.invalid`;
  const uuid = digits.replace(UUID_PARTS, '$1-$2-$3-$4-$5');
  const labelOf = (label: string): string => sha256Hex(`${seed}/${label}`).slice(0, LABEL_DIGITS);
  const heads = [folder, deriveCanary(seed, '').slice(0, -LABEL_DIGITS), uuid];
  return {
    folder,
    host,
    uuid,
    filePath: (label) => `${folder}/${labelOf(label)}.txt`,
    flatName: (label) => `${folder}-${labelOf(label)}`,
    canary: (label) => deriveCanary(seed, label),
    isContainedIn: (text) => text.includes(digits) || text.includes(uuid),
    isPrefixOf: (text) => {
      const plain = text.replace(/^https?:\/\//, '');
      return heads.some((head) => plain.startsWith(head));
    },
  };
}
