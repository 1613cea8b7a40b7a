import { SKILL_FORM } from '../../domain/agent-protocol/task.ts';
import { type A2aMessage, dataPart, textPart } from '../../domain/agent-protocol/wire.ts';
import { type JsonObject, toJson } from '../../domain/common/json.ts';
import { readListedPrice } from '../../domain/tool/listed-price.ts';
import type { ListedTool, ToolService } from '../../domain/tool/tool.ts';

/** How many skills a text gets. */
const SUGGESTED_MAX = 5;
/** Longest text that is ranked, in characters. */
const TEXT_CHARS_MAX = 1_000;

/**
 * Answers a text: how to call a skill, and the skills that fit the text best. The id of a skill
 * gets that one with its schema.
 */
export async function suggestSkills(
  service: ToolService,
  text: string,
  messageId: string,
): Promise<A2aMessage> {
  const byName = new Map(service.tools.map((tool) => [tool.name, tool]));
  const named = byName.get(text.trim());
  if (named !== undefined) return describeOne(service, named, messageId);
  const ranked = await service.rank(text.slice(0, TEXT_CHARS_MAX));
  const found = ranked.flatMap((name) => byName.get(name) ?? []).slice(0, SUGGESTED_MAX);
  const tools = found.length === 0 ? service.tools.slice(0, SUGGESTED_MAX) : found;
  const lines = tools.map((tool) => `- ${tool.name} (${priceOf(tool)}): ${tool.title}`);
  return {
    messageId,
    role: 'ROLE_AGENT',
    parts: [
      textPart(
        [
          `Name a skill and its arguments in a data part: ${SKILL_FORM}.`,
          'Skills that may fit your text:',
          ...lines,
          'Send the id of a skill as text to get its schema.',
        ].join('\n'),
      ),
      dataPart(toJson({ skills: tools.map((tool) => describeSkill(service, tool)) })),
    ],
  };
}

function describeOne(service: ToolService, tool: ListedTool, messageId: string): A2aMessage {
  const details = service.describe(tool.name);
  const skill = {
    ...describeSkill(service, tool),
    description: details?.description ?? tool.description,
    input_schema: details?.inputSchema ?? tool.inputSchema,
  };
  return {
    messageId,
    role: 'ROLE_AGENT',
    parts: [textPart(skill.description), dataPart(toJson({ skills: [skill] }))],
  };
}

function describeSkill(service: ToolService, tool: ListedTool): JsonObject {
  const { name: id, title } = tool;
  const example = service.describe(id)?.example ?? {};
  return { id, title, price: priceOf(tool), example: { data: { skill: id, arguments: example } } };
}

function priceOf(tool: ListedTool): string {
  const price = readListedPrice(tool);
  return price === undefined ? 'free' : `$${price}`;
}
