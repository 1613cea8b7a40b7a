import { registration } from './identity.ts';
import { joinLenses } from './join-lenses.ts';
import type { Lens } from './lenses.ts';
import { sanctions } from './sanctions.ts';

/**
 * Checks registries and sanctions lists: whether the company exists and whether its names are
 * listed.
 */
export const compliance: Lens = async (subject, ports, limits) => {
  const known = await registration(subject, ports, limits);
  const { records } = known;
  return joinLenses([known, await sanctions({ ...subject, records }, ports, limits)]);
};
