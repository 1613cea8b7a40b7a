import {
  type Arguments,
  inputSchemaOf,
  listTextSlots,
  setAtPath,
  type TextSlot,
} from '../../../domain/audit/probe/arguments.ts';
import { auditValueFor, mayName } from '../../../domain/audit/probe/call-permission.ts';
import type { PayloadHead } from '../../../domain/audit/probe/payloads.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { describeTool } from '../../../domain/audit/probe/tool-verbs.ts';
import { createFittingArguments, isReader } from './call-tool.ts';
import type { ProbeSession } from './probe.ts';

/** A field of a tool that a probe writes to. */
export interface Aim {
  readonly tool: Definition;
  readonly slot: TextSlot;
  /** How well the field matches the probe; higher ranks are tried first. */
  readonly rank: number;
}

/** Patterns that rank a field: by its own name and description, or by its tool. */
export interface AimWords {
  readonly field: RegExp;
  readonly tool: RegExp;
}

/** Returns the fields that match the patterns, best first. */
export function findAims(
  tools: readonly Definition[],
  words: AimWords,
  max: number,
): readonly Aim[] {
  return tools
    .flatMap((tool) =>
      listTextSlots(inputSchemaOf(tool)).map((slot) => createAim(tool, slot, words)),
    )
    .filter(({ rank }) => rank > 0)
    .sort((left, right) => right.rank - left.rank)
    .slice(0, max);
}

/** Returns valid arguments with a value in the selected field. */
export function createAimedArguments(
  session: ProbeSession,
  { tool, slot }: Aim,
  value: unknown,
): Arguments {
  return setAtPath(createFittingArguments(session, tool), slot.path, value);
}

/**
 * Returns the start of a payload text, which is an audit name. In identifying fields it is used
 * alone.
 */
export function createPayloadHead(session: ProbeSession, { tool, slot }: Aim): PayloadHead {
  if (isReader(tool)) return { text: session.own.canary(`aim-${tool.name}`), isNaming: false };
  const text = auditValueFor(slot, session.own, `aim-${tool.name}`);
  return { text, isNaming: mayName(slot.path) };
}

function createAim(tool: Definition, slot: TextSlot, words: AimWords): Aim {
  const about = describeTool(tool);
  const byName = words.field.test(slot.name.replace(/([a-z])([A-Z])/g, '$1_$2')) ? 4 : 0;
  const byText = words.field.test(slot.description) ? 2 : 0;
  const byTool = words.tool.test(about) ? 1 : 0;
  return { tool, slot, rank: byName + byText + byTool };
}
