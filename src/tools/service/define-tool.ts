import { invariant } from '../../domain/common/error.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { TOOL_NAMES } from './names.ts';

/** Length limits of the texts by which a model chooses a tool, in characters. */
export const TOOL_TEXT = { titleMax: 80, descriptionMin: 40, descriptionMax: 2_000 } as const;

/**
 * Validates a tool definition and returns it: the name is in the specification of its server, texts
 * are within their limits, annotations do not contradict each other, and the payment flow fits how
 * the tool runs.
 *
 * @throws {AppError} `INVARIANT` naming the tool and the rule.
 * @example
 * export function pingTool(): Tool { return defineTool({ server: 'hosting', name: …, … }); }
 */
export function defineTool<In>(tool: Tool<In>): Tool<In> {
  const check = (claim: boolean, why: string) => invariant(claim, `tool ${tool.name}: ${why}`);
  const { title, description, annotations, price } = tool;
  check(TOOL_NAMES[tool.server].includes(tool.name), `${tool.server} has no tool of this name`);
  check(title !== '' && title.length <= TOOL_TEXT.titleMax, 'a title is 1 to 80 characters');
  check(
    description.length >= TOOL_TEXT.descriptionMin &&
      description.length <= TOOL_TEXT.descriptionMax,
    'a description is 40 to 2000 characters',
  );
  check(
    !(annotations.readOnlyHint && annotations.destructiveHint),
    'a read-only tool cannot be destructive',
  );
  check(price === undefined || BigInt(price.amount) > 0n, 'a price is above zero');
  check(
    tool.order === undefined || price?.flow === 'upfront',
    'a tool that orders jobs is paid up front',
  );
  check(
    tool.order === undefined || tool.cancelTerms !== undefined,
    'a tool that orders jobs states its cancel terms',
  );
  return tool;
}
