import {
  type Arguments,
  type Slot,
  schemaOf,
  slotsOf,
  withValue,
} from '../../../domain/audit/probe/arguments.ts';
import type { PayloadHead } from '../../../domain/audit/probe/payloads.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isNaming, ownValue } from '../../../domain/audit/probe/sending.ts';
import { wordsAbout } from '../../../domain/audit/probe/tool-nature.ts';
import { fittingArguments, isReader } from './calling.ts';
import type { ProbeSession } from './probe.ts';

/** A field of a tool that a probe writes to. */
export interface Aim {
  readonly tool: Definition;
  readonly slot: Slot;
  /** How well the field matches the probe; higher ranks are tried first. */
  readonly rank: number;
}

/** Patterns that rank a field: by its own name and description, or by its tool. */
export interface AimWords {
  readonly field: RegExp;
  readonly tool: RegExp;
}

/** Returns the fields that match the patterns, best first. */
export function aimsOf(tools: readonly Definition[], words: AimWords, max: number): readonly Aim[] {
  return tools
    .flatMap((tool) => slotsOf(schemaOf(tool)).map((slot) => aim(tool, slot, words)))
    .filter(({ rank }) => rank > 0)
    .sort((left, right) => right.rank - left.rank)
    .slice(0, max);
}

/** Returns valid arguments with a value in the selected field. */
export function aimed(session: ProbeSession, { tool, slot }: Aim, value: unknown): Arguments {
  return withValue(fittingArguments(session, tool), slot.path, value);
}

/**
 * Returns the start of a payload text, which is an audit name. In identifying fields it is used
 * alone.
 */
export function makePayloadHead(session: ProbeSession, { tool, slot }: Aim): PayloadHead {
  if (isReader(tool)) return { text: session.own.text(`aim-${tool.name}`), isNaming: false };
  const text = ownValue(slot, session.own, `aim-${tool.name}`);
  return { text, isNaming: isNaming(slot.path) };
}

function aim(tool: Definition, slot: Slot, words: AimWords): Aim {
  const about = wordsAbout(tool);
  const byName = words.field.test(slot.name.replace(/([a-z])([A-Z])/g, '$1_$2')) ? 4 : 0;
  const byText = words.field.test(slot.description) ? 2 : 0;
  const byTool = words.tool.test(about) ? 1 : 0;
  return { tool, slot, rank: byName + byText + byTool };
}
