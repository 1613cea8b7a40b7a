import { createHash } from 'node:crypto';
import ts from 'typescript';
import { nodesOf, type SourceFile } from '../../tidy/files.ts';
import { patternsIn } from '../patterns.ts';

/** Functions and classes that take a text apart; what a name stands for is not followed. */
const PARSERS = new Set([
  'tryParseJson',
  ...['JSON.parse', 'URL', 'URL.canParse', 'URLSearchParams', 'decodeURI', 'decodeURIComponent'],
  ...['atob', 'TextDecoder', 'BigInt', 'Parser', 'parseHTML', 'Readability', 'parseFeed'],
  ...['parseRobots', 'LinkifyIt', 'parseArgs', 'Intl.Segmenter', 'structuredClone', 'DOMParser'],
]);
/** Methods that take a text apart, whatever they are called on. */
const PARSING_METHODS = new Set(['polarity_scores', 'segment', 'matchAtStart', 'normalize']);
const ENCODINGS = new Set(['base64', 'base64url', 'hex']);

/** Where a file takes texts apart: its regular expressions, and its calls of parsers. */
export interface FilePlaces {
  readonly patterns: readonly string[];
  readonly parsers: readonly string[];
}

/** Finds all places of a file. */
export function placesIn(file: SourceFile): FilePlaces {
  const patterns = patternsIn(file).map(({ source, flags }) => `/${source}/${flags}`);
  const parsers = [...nodesOf(file.tree)].flatMap((node) => parserOf(node) ?? []);
  return { patterns, parsers };
}

/** Changes with every place that is added or changed, and with none that only moves. */
export function hashOf({ patterns, parsers }: FilePlaces): string {
  const rows = [...patterns, ...parsers].toSorted();
  return createHash('sha256').update(rows.join('\n')).digest('hex').slice(0, 12);
}

function parserOf(node: ts.Node): string | undefined {
  // Programs of threads that are kept as texts.
  if (ts.isTemplateLiteral(node))
    return /\brequire\('/.test(node.getText()) ? 'program' : undefined;
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
  const callee = node.expression;
  const name = callee.getText();
  if (PARSERS.has(name)) return isLiteral(node) ? undefined : name;
  if (name === 'Buffer.from') return decoderOf(node);
  if (!ts.isPropertyAccessExpression(callee)) return undefined;
  return PARSING_METHODS.has(callee.name.text) ? callee.name.text : undefined;
}

function decoderOf({ arguments: given }: ts.CallExpression | ts.NewExpression) {
  const [, encoding] = given ?? [];
  const text = encoding !== undefined && ts.isStringLiteral(encoding) ? encoding.text : '';
  return ENCODINGS.has(text) ? `Buffer.from ${text}` : undefined;
}

/** A number or a text that stands in the source is nobody else's. */
function isLiteral({ arguments: given }: ts.CallExpression | ts.NewExpression): boolean {
  const [first] = given ?? [];
  return first !== undefined && ts.isLiteralExpression(first);
}
