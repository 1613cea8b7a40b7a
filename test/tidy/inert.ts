import ts from 'typescript';
import { at, nodesOf, type Rule } from './files.ts';

/** Ways by which a text could become part of a page, or run. */
const NAMES = new Set([
  ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'dangerouslySetInnerHTML', 'srcdoc'],
  ...['createContextualFragment', 'setHTMLUnsafe', 'parseHTMLUnsafe', 'DOMParser'],
  ...['eval', 'Function', 'execScript'],
]);
/** Parses the drawings that our own build wrote, and lets through what is on its list alone. */
const PARSER = 'web/src/chart/inert-svg.ts';

/** Texts come from models, repositories and pages: the console shows them as text nodes alone. */
export const showsTextsInert: Rule = (file) => {
  if (!file.path.startsWith('web/')) return [];
  return [...nodesOf(file.tree)].flatMap((node) => {
    const name = usedName(node);
    if (name === undefined || !NAMES.has(name)) return [];
    if (name === 'DOMParser' && file.path === PARSER) return [];
    return [at(file, node.getStart(), `${name} could make a text run`)];
  });
};

// Written as a name, as the text of a member (`['innerHTML']`), or as an attribute of an element.
function usedName(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) return node.text;
  return undefined;
}
