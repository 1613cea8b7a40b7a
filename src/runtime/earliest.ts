/** The earliest of some times, as far as there are any that will come. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  let found: number | undefined;
  for (const at of times) {
    const isEarlier = at !== undefined && (found === undefined || at < found);
    if (isEarlier && Number.isFinite(at)) found = at;
  }
  return found;
}
