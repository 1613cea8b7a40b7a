/** Returns the active states without those that contain another active state. */
export function innermostStates(activeIds: readonly string[]): readonly string[] {
  return activeIds.filter((id) => !activeIds.some((other) => other.startsWith(`${id}.`)));
}

/** Formats the innermost active states by their last path segments, for narrow columns. */
export function formatInnermostStates(activeIds: readonly string[]): string {
  return innermostStates(activeIds)
    .map((id) => id.slice(id.lastIndexOf('.') + 1))
    .join(', ');
}
