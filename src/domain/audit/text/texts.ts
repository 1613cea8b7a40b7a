import { isObject } from '../../common/json.ts';
import type { Definition, Recon } from '../probe/recon.ts';
import { wordsOfName } from '../probe/tool-nature.ts';
import type { TextPlace } from './clause-rules.ts';

/** Texts of one target that are looked at. */
const TEXTS_MAX = 4_000;
/** Levels of a definition that are gone down. */
const DEPTH_MAX = 12;

/** A text that a target shows, and where it stands. */
export interface ToldText {
  /** The name of the definition, or `instructions`, `server`, `card`. */
  readonly owner: string;
  /** True for definitions of tools. */
  readonly isTool: boolean;
  /** Members down to the text, joined by dots. */
  readonly place: string;
  readonly text: string;
}

/** All texts of a definition: names of members too, for those are read as well. */
export function textsOf(definition: Definition, isTool = true): readonly ToldText[] {
  const found: ToldText[] = [];
  collect(definition, { owner: definition.name, isTool, path: [], found });
  return found;
}

/** All texts that a target shows to any client. */
export function textsOfTarget(recon: Recon): readonly ToldText[] {
  const { greeting, tools, prompts, resources, templates, card } = recon;
  const found: ToldText[] = [];
  if (greeting !== null) {
    const { instructions, serverInfo } = greeting;
    collect(
      { instructions, serverInfo },
      { owner: 'instructions', isTool: false, path: [], found },
    );
  }
  if (card !== null) collect(card, { owner: 'card', isTool: false, path: [], found });
  const others = [...prompts, ...resources, ...templates];
  return [
    ...found,
    ...tools.flatMap((tool) => textsOf(tool)),
    ...others.flatMap((other) => textsOf(other, false)),
  ].slice(0, TEXTS_MAX);
}

/** What is ordinary at the place of a text: what its owner is named for, and what stands there. */
export function placeOf({ owner, place }: ToldText): TextPlace {
  return {
    purpose: wordsOfName(owner).join(' '),
    isUnusual: UNUSUAL.test(place),
    isField: FIELD.test(place),
    isOutput: OUTPUT.test(place),
  };
}

/** Values of schemas: no place to tell a reader what to do. */
const UNUSUAL = /(?:^|\.)(?:default|const|(?:enum|examples)\.\d+|example)$/;
const OUTPUT = /^outputSchema\./;

const FIELD = /^inputSchema\..*\.description$/;

interface Walk {
  readonly owner: string;
  readonly isTool: boolean;
  readonly path: readonly string[];
  readonly found: ToldText[];
}

function collect(value: unknown, walk: Walk): void {
  const { path, found, owner, isTool } = walk;
  if (path.length > DEPTH_MAX || found.length >= TEXTS_MAX) return;
  if (typeof value === 'string') {
    if (value !== '') found.push({ owner, isTool, place: path.join('.'), text: value });
    return;
  }
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collect(item, { ...walk, path: [...path, `${at}`] });
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const below = [...path, name];
    if (/[^\w$.-]/.test(name)) {
      found.push({ owner, isTool, place: `${below.join('.')} (name)`, text: name });
    }
    collect(member, { ...walk, path: below });
  }
}
