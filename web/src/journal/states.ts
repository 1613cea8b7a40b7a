/** Active states without those that only hold another active one. */
export function leavesOf(activeIds: readonly string[]): readonly string[] {
  return activeIds.filter((id) => !activeIds.some((other) => other.startsWith(`${id}.`)));
}

/** The innermost active states by their last names alone, for narrow places. */
export function leafWords(activeIds: readonly string[]): string {
  return leavesOf(activeIds)
    .map((id) => id.slice(id.lastIndexOf('.') + 1))
    .join(', ');
}
