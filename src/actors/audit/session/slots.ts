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

/** A place of a tool that a probe writes into. */
export interface Aim {
  readonly tool: Definition;
  readonly slot: Slot;
  /** How well it fits what the probe looks for; higher is tried first. */
  readonly rank: number;
}

/** Words by which an aim is ranked: in the field's own name and text, or in the tool's. */
export interface AimWords {
  readonly field: RegExp;
  readonly tool: RegExp;
}

/** The places of the tools that fit the words, best first; those that fit nothing are left out. */
export function aimsOf(tools: readonly Definition[], words: AimWords, max: number): readonly Aim[] {
  return tools
    .flatMap((tool) => slotsOf(schemaOf(tool)).map((slot) => aim(tool, slot, words)))
    .filter(({ rank }) => rank > 0)
    .sort((left, right) => right.rank - left.rank)
    .slice(0, max);
}

/** Arguments that fit the tool, with a value in the aimed place. */
export function aimed(session: ProbeSession, { tool, slot }: Aim, value: unknown): Arguments {
  return withValue(fittingArguments(session, tool), slot.path, value);
}

/** What texts of one place begin with: a name of this audit; where that names something, alone. */
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
