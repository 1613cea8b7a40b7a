import { isObject } from '../../src/domain/common/json.ts';
import {
  CONTROL_CATALOG,
  CONTROL_IDS,
  type ControlId,
  type ControlLabel,
} from '../../src/domain/control/control-catalog.ts';

/** How the controls stand when a text is read. */
export interface Standing {
  readonly labels: Readonly<Record<ControlId, ControlLabel>>;
  readonly offered: ReadonlySet<string>;
}

const PROTECTS =
  /\b(protect\w*|safeguard\w*|guard(s|ed|ing)?|shield\w*|secur(es|ed|ing)|safe(ty|ly)?|guarante\w+|ensur\w+|prevent\w*|insur(es?|ed|ance)|enforc\w+|assur\w+|defend\w*|blocks?|keeps? you)\b/i;
const DENIES = /\b(not|no|never|nobody|nothing|none|cannot|without|neither|nor)\b/i;
const OTHER_NAMES: Readonly<Partial<Record<ControlId, readonly string[]>>> = {
  'two-leg-escrow': ['two-leg escrow', 'held success fee'],
  'sealed-bid-negotiation': ['sealed-bid', 'sealed bid', 'sealed reserve'],
  'evidence-bundle': ['evidence bundle'],
};

/** Controls that do not act: not LIVE, or with a tool that is not offered. */
export function idle({ labels, offered }: Standing): readonly ControlId[] {
  return CONTROL_IDS.filter(
    (id) => labels[id] !== 'LIVE' || CONTROL_CATALOG[id].tools.some((tool) => !offered.has(tool)),
  );
}

/** Sentences of a text that present a control as protection which does not act. */
export function claimsIn(text: string, standing: Standing): readonly string[] {
  const sentences = text.split(/(?<=[.!?:;])\s+|\n\s*\n|\n(?=[-|#*])/);
  return idle(standing).flatMap((id) => {
    const { does } = CONTROL_CATALOG[id];
    const names = namesOf(id);
    const claims = sentences.filter((sentence) => {
      const words = sentence.toLowerCase();
      const isNamed = names.some((name) => words.includes(name));
      return isNamed && PROTECTS.test(sentence) && !DENIES.test(sentence);
    });
    const told = text.includes(does) ? [does] : [];
    return [...claims, ...told].map((claim) => `${id}: ${claim.trim()}`);
  });
}

/** The same for a document: every text in it, and every entry of a control. */
export function claimsInDocument(value: unknown, standing: Standing): readonly string[] {
  if (typeof value === 'string') return claimsIn(value, standing);
  if (Array.isArray(value)) return value.flatMap((one) => claimsInDocument(one, standing));
  if (!isObject(value)) return [];
  const inside = Object.values(value).flatMap((one) => claimsInDocument(one, standing));
  return [...entryClaims(value, standing), ...inside];
}

function entryClaims(entry: Readonly<Record<string, unknown>>, standing: Standing): string[] {
  const { id, label, acts } = entry;
  const control = CONTROL_IDS.find((one) => one === id);
  if (control === undefined || label === undefined) return [];
  const isIdle = idle(standing).includes(control);
  return [
    ...(label === standing.labels[control] ? [] : [`${control}: told as ${JSON.stringify(label)}`]),
    ...(acts !== undefined && acts !== !isIdle ? [`${control}: told to act`] : []),
  ];
}

function namesOf(id: ControlId): readonly string[] {
  const { title, tools } = CONTROL_CATALOG[id];
  const names = [title, id, id.replaceAll('-', ' '), ...tools, ...(OTHER_NAMES[id] ?? [])];
  return names.map((name) => name.toLowerCase());
}
