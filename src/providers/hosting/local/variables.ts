import type { EnvVar } from '../../../domain/hosting/records.ts';

/** Before the names of variables while a program is prepared. */
const PREFIX = 'STOA_GIVEN_';
const NAMES = 'STOA_GIVEN';

/**
 * Gives the variables their names; the values are never read as commands. Run as the tenant.
 */
const UNPACK = [
  `for __stoa in $${NAMES}; do`,
  `eval "export $__stoa=\\"\\$${PREFIX}$__stoa\\"";`,
  `unset "${PREFIX}$__stoa"; done; unset ${NAMES} __stoa`,
].join(' ');

/**
 * Carries a service's variables past the programs that prepare its view of the machine: those are
 * root's, and would obey some of them (`LD_PRELOAD`). What is in `own` stays as it is.
 *
 * @returns The environment to prepare with, and what `/bin/sh` reads as the tenant before all else.
 */
export function carryVariables(
  variables: readonly EnvVar[],
  own: Readonly<Record<string, string>>,
): { readonly env: Readonly<Record<string, string>>; readonly unpack: string } {
  // Of two of one name the later one counts.
  const given = new Map(variables.map(({ key, value }) => [key, value]));
  const names = [...given.keys()].filter((key) => !(key in own));
  const packed = names.map((key) => [`${PREFIX}${key}`, given.get(key) ?? ''] as const);
  return {
    env: { ...own, [NAMES]: names.join(' '), ...Object.fromEntries(packed) },
    unpack: UNPACK,
  };
}
