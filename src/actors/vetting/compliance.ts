import { registration } from './identity.ts';
import { joinLenses } from './join-lenses.ts';
import type { Lens } from './lenses.ts';
import { sanctions } from './sanctions.ts';

/** Registries and lists: whether there is such a company, and who is listed under its names. */
export const compliance: Lens = async (subject, ports, limits) => {
  const known = await registration(subject, ports, limits);
  const { records } = known;
  return joinLenses([known, await sanctions({ ...subject, records }, ports, limits)]);
};
