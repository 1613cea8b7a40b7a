import type { Tool, ToolService } from '../../../domain/tool/tool.ts';

/** Creates a ranking that is loaded with the first request: only search mode needs it. */
export function createLazyRanking(tools: readonly Tool[]): ToolService['rank'] {
  let ranking: ReturnType<typeof loadToolRanking> | undefined;
  return async (request) => {
    ranking ??= loadToolRanking(tools);
    return (await ranking)(request);
  };
}

/** Loads the ranking of some tools. */
export async function loadToolRanking(
  tools: readonly Tool[],
): Promise<(request: string) => readonly string[]> {
  const [{ createToolRanking }, { default: phrases }] = await Promise.all([
    import('./rank-tools.ts'),
    import('./phrases.json', { with: { type: 'json' } }),
  ]);
  return createToolRanking(tools, phrases);
}
