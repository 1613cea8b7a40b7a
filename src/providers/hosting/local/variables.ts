import type { EnvVar } from '../../../domain/hosting/records.ts';

/** Prefix of variable names while a program's namespace is set up. */
const PREFIX = 'STOA_GIVEN_';
const NAMES = 'STOA_GIVEN';

/** Restores the variable names; values are never evaluated. Runs as the tenant. */
const UNPACK_SCRIPT = [
  `for __stoa in $${NAMES}; do`,
  `eval "export $__stoa=\\"\\$${PREFIX}$__stoa\\"";`,
  `unset "${PREFIX}$__stoa"; done; unset ${NAMES} __stoa`,
].join(' ');

/**
 * Passes a service's variables through the programs that set up its namespace, which run as root
 * and would obey some of them (`LD_PRELOAD`). Variables in `own` are unchanged.
 *
 * @returns The environment for the setup, and shell code that the tenant runs first.
 */
export function packVariables(
  variables: readonly EnvVar[],
  own: Readonly<Record<string, string>>,
): { readonly env: Readonly<Record<string, string>>; readonly unpack: string } {
  // The later one of two variables with the same name wins.
  const given = new Map(variables.map(({ key, value }) => [key, value]));
  const names = [...given.keys()].filter((key) => !(key in own));
  const packed = names.map((key) => [`${PREFIX}${key}`, given.get(key) ?? ''] as const);
  return {
    env: { ...own, [NAMES]: names.join(' '), ...Object.fromEntries(packed) },
    unpack: UNPACK_SCRIPT,
  };
}
