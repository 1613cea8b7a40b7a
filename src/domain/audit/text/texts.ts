import { isObject } from '../../common/json.ts';
import type { Definition, Recon } from '../probe/recon.ts';
import { splitName } from '../probe/tool-verbs.ts';
import type { TextContext } from './clause-rules.ts';

/** Maximum texts examined per target. */
const TEXTS_MAX = 4_000;
/** Maximum depth of a definition. */
const DEPTH_MAX = 12;

/** A text that a target declares, with its location. */
export interface DeclaredText {
  /** The name of the definition, or `instructions`, `server`, `card`. */
  readonly owner: string;
  /** True for tool definitions. */
  readonly isTool: boolean;
  /** Path of members to the text, joined by dots. */
  readonly place: string;
  readonly text: string;
}

/** Returns all texts of a definition, including member names, which models read as well. */
export function listTexts(definition: Definition, isTool = true): readonly DeclaredText[] {
  const found: DeclaredText[] = [];
  collectTexts(definition, { owner: definition.name, isTool, path: [], found });
  return found;
}

/** Returns all texts that a target sends to any client. */
export function listTargetTexts(recon: Recon): readonly DeclaredText[] {
  const { greeting, tools, prompts, resources, templates, card } = recon;
  const found: DeclaredText[] = [];
  if (greeting !== null) {
    const { instructions, serverInfo } = greeting;
    collectTexts(
      { instructions, serverInfo },
      { owner: 'instructions', isTool: false, path: [], found },
    );
  }
  if (card !== null) collectTexts(card, { owner: 'card', isTool: false, path: [], found });
  const others = [...prompts, ...resources, ...templates];
  return [
    ...found,
    ...tools.flatMap((tool) => listTexts(tool)),
    ...others.flatMap((other) => listTexts(other, false)),
  ].slice(0, TEXTS_MAX);
}

/** Returns the context of a text: the purpose of its owner and the kind of its location. */
export function textContextOf({ owner, place }: DeclaredText): TextContext {
  return {
    purpose: splitName(owner).join(' '),
    isUnusual: SCHEMA_VALUE_PATH.test(place),
    isField: FIELD_DESCRIPTION_PATH.test(place),
    isOutput: OUTPUT_PATH.test(place),
  };
}

/** Schema values, where orders to the reader do not belong. */
const SCHEMA_VALUE_PATH = /(?:^|\.)(?:default|const|(?:enum|examples)\.\d+|example)$/;
const OUTPUT_PATH = /^outputSchema\./;

const FIELD_DESCRIPTION_PATH = /^inputSchema\..*\.description$/;

interface Walk {
  readonly owner: string;
  readonly isTool: boolean;
  readonly path: readonly string[];
  readonly found: DeclaredText[];
}

function collectTexts(value: unknown, walk: Walk): void {
  const { path, found, owner, isTool } = walk;
  if (path.length > DEPTH_MAX || found.length >= TEXTS_MAX) return;
  if (typeof value === 'string') {
    if (value !== '') found.push({ owner, isTool, place: path.join('.'), text: value });
    return;
  }
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      collectTexts(item, { ...walk, path: [...path, `${at}`] });
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const below = [...path, name];
    if (/[^\w$.-]/.test(name)) {
      found.push({ owner, isTool, place: `${below.join('.')} (name)`, text: name });
    }
    collectTexts(member, { ...walk, path: below });
  }
}
