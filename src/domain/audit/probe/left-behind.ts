import { z } from 'zod';

/** Maximum number of names shown per tool; the count covers the rest. */
export const NAMES_SHOWN_MAX = 5;
const TOOLS_SHOWN_MAX = 20;

/** Names created by an audit that a tool of the target may still hold. */
export const LeftBehind = z.object({
  tool: z.string(),
  names: z.array(z.string()),
  count: z.number().int().nonnegative(),
  /** `kept`: the target still returns it. `unknown`: no tool shows whether it was kept. */
  state: z.enum(['kept', 'unknown']),
  reason: z.string(),
});
/** A parsed {@link LeftBehind}. */
export type LeftBehind = z.infer<typeof LeftBehind>;

/** Formats the first line of a report: what the audit could not undo, or an empty text. */
export function formatLeftBehind(all: readonly LeftBehind[]): string {
  const kept = describePart('Left behind on the target and still there', all, 'kept');
  const unknown = describePart(
    'Perhaps left behind (nothing on the target shows it)',
    all,
    'unknown',
  );
  return [kept, unknown].filter((part) => part !== '').join(' ');
}

function describePart(
  head: string,
  all: readonly LeftBehind[],
  state: LeftBehind['state'],
): string {
  const byTool = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const one of all) {
    if (one.state !== state) continue;
    const names = byTool.get(one.tool) ?? new Set();
    for (const name of one.names) names.add(name);
    byTool.set(one.tool, names);
    counts.set(one.tool, Math.max(counts.get(one.tool) ?? 0, one.count, names.size));
  }
  if (byTool.size === 0) return '';
  const rows = [...byTool].slice(0, TOOLS_SHOWN_MAX).map(([tool, names]) => {
    const shownNames = [...names].slice(0, NAMES_SHOWN_MAX).join(', ');
    const more = (counts.get(tool) ?? 0) - Math.min(names.size, NAMES_SHOWN_MAX);
    return `${tool} got ${shownNames}${more > 0 ? ` and ${more} more` : ''}`;
  });
  const left = byTool.size - rows.length;
  return `${head}: ${rows.join('; ')}${left > 0 ? `; ${left} more tools` : ''}.`;
}
