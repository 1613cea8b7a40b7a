// Names of new things: their forms, and what is refused.

/** Why a new thing is refused: a code, and a sentence with what was received and is allowed. */
export class NewError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Throws `NAME_INVALID` unless a name has the form of its kind. */
export function requireForm({ what, form, pattern, example }, name) {
  if (pattern.test(name)) return;
  const allowed = `it must be ${form}, such as ${example}.`;
  throw new NewError('NAME_INVALID', `\`${name}\` is not a name for a new ${what}; ${allowed}`);
}

/** Returns the error for a name that exists. */
export function nameTaken(name, path) {
  return new NewError('NAME_TAKEN', `\`${name}\` exists in ${path}. Choose another name.`);
}

/** `funding-rate` or `list_backups` as `fundingRate` or `listBackups`. */
export function toCamelCase(name) {
  return name.replace(/[-_]+([a-z0-9])/g, (_cut, letter) => letter.toUpperCase());
}

/** `refund-notes` as `RefundNotes`. */
export function toPascalCase(name) {
  const camel = toCamelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** `refund-notes` as `REFUND_NOTES`. */
export function toUpperSnakeCase(name) {
  return name.replaceAll('-', '_').toUpperCase();
}

/** `ProofOfCustody` as `proof-of-custody`. */
export function toKebabCase(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** `refund-window` as `Refund window`. */
export function toTitle(name) {
  const words = name.replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A key of an object literal, quoted where it must be. */
export function toKey(name) {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}
